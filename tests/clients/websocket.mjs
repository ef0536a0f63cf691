// A page's way to the engine: Node's own WebSocket, which can set no headers, with messages as lines of stdin and stdout.
//
//   node websocket.mjs ws://127.0.0.1:PORT/ TOKEN
//
// It ends with the connection, and prints why on stderr. The end of stdin closes the connection.

import { createInterface } from 'node:readline'

const [url, token] = process.argv.slice(2)
const socket = new WebSocket(url, ['pintle', `pintle.token.${token}`])

socket.addEventListener('message', ({ data }) => process.stdout.write(`${data}\n`))
socket.addEventListener('close', ({ code, reason }) => {
  process.stderr.write(`closed: ${code} ${reason}\n`)
  process.exitCode = code === 1000 || code === 1001 ? 0 : 1
  process.stdin.destroy()
})
socket.addEventListener('open', () => {
  if (socket.protocol !== 'pintle') throw new Error(`the subprotocol is ${socket.protocol}`)
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => socket.send(line))
  lines.on('close', () => socket.close(1000))
})
