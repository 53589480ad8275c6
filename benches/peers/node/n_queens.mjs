// n-queens: the first solution, by backtracking.

import { load, serve } from './line.mjs'

const { NQueen } = await load('n-queens')

await serve({
  queens({ size }) {
    const puzzle = new NQueen(size)
    puzzle.solveNQ()
    return puzzle.board.map((row) => row.indexOf(1))
  },
})
