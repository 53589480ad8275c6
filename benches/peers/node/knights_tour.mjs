// knightstour: a game that can play itself. Its `solve` plays up to 1000 games by Warnsdorff's rule.

import { load, serve } from './line.mjs'

const { default: KnightsTour } = await load('knightstour')

await serve({
  tour({ rows, cols, closed, start }) {
    const moveIndexes = start ? [start[0] * cols + start[1]] : []
    const players = [{ name: 'Solver', color: 'blue', moveIndexes }]
    const game = new KnightsTour({ rows, cols, players, gameMode: closed ? 'Closed' : 'Open' })
    game.solve()
    if (!game.solved) throw new Error(game.state)
    return game.players[0].moveIndexes.map((index) => [Math.floor(index / cols), index % cols])
  },
})
