// dancing-links: sparse constraints, diagonals as secondary ones, as its benchmark has them.

import { load, serve } from './line.mjs'

const { DancingLinks } = await load('dancing-links')

function tilingSolver({ rows, cols, holes }) {
  const hole = new Set(holes.map(([row, col]) => row * cols + col))
  const number = new Map()
  for (let square = 0; square < rows * cols; square++) if (!hole.has(square)) number.set(square, number.size)
  const constraints = []
  for (let row = 0; row + 1 < rows; row++) {
    for (let col = 0; col + 1 < cols; col++) {
      const box = [[row, col], [row, col + 1], [row + 1, col], [row + 1, col + 1]]
      for (const gone of box) {
        const data = box.filter((square) => square !== gone)
        const columnIndices = data.map(([r, c]) => number.get(r * cols + c))
        if (!columnIndices.includes(undefined)) constraints.push({ data, columnIndices })
      }
    }
  }
  const solver = new DancingLinks().createSolver({ columns: number.size })
  solver.addSparseConstraints(constraints)
  return solver
}

function queensSolver({ size, queens = [] }) {
  const attacks = (row, col, r, c) => row === r || col === c || Math.abs(row - r) === Math.abs(col - c)
  const attacked = (row, col) => queens.some(([r, c]) => attacks(row, col, r, c))
  const placed = (row, col) => queens.some(([r, c]) => row === r && col === c)
  const solver = new DancingLinks().createSolver({ primaryColumns: 2 * size, secondaryColumns: 4 * size - 2 })
  for (let row = 0; row < size; row++) {
    for (let col = 0; col < size; col++) {
      if (attacked(row, col) && !placed(row, col)) continue
      const lines = { primary: [row, size + col], secondary: [row + col, 3 * size - 2 + row - col] }
      solver.addSparseConstraint([row, col], lines)
    }
  }
  return solver
}

// The data of the choices in the first solution, or null.
function first(solver, built) {
  built()
  const [solution] = solver.findOne()
  return solution ? solution.map(({ data }) => data) : null
}

// One by one: all at once wouldn't fit into memory.
function count(solver, built) {
  built()
  let count = 0
  for (const _ of solver.createGenerator()) count++
  return count
}

function queens(task, built) {
  const squares = first(queensSolver(task), built)
  return squares && squares.sort(([a], [b]) => a - b).map(([, col]) => col)
}

await serve({
  queens,
  completion: queens,
  'queens-count': (task, built) => count(queensSolver(task), built),
  tiling: (task, built) => first(tilingSolver(task), built),
  'tiling-count': (task, built) => count(tilingSolver(task), built),
})
