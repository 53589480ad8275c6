// The same talk with compare.py as in python/line.py, for libraries from npm.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// Imports the package that is installed in the folder that PEER names.
export function load(name) {
  const folder = `${process.env.PEER}/node_modules/${name}`
  return import(`${folder}/${JSON.parse(readFileSync(`${folder}/package.json`)).main}`)
}

// Answers tasks until there are no more. A solver takes a task and a function to call when the problem is built.
export async function serve(solvers) {
  const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`)
  say({ kinds: Object.keys(solvers) })
  for await (const line of createInterface({ input: process.stdin })) {
    const task = JSON.parse(line)
    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1000
    let building = null
    try {
      const answer = solvers[task.kind](task, () => { building = seconds() })
      say({ seconds: seconds(), building, answer })
    } catch (error) {
      say({ error: String(error) })
    }
  }
}
