// Runs one Amness plugin in a process of its own, and calls what it contributes when plugseal asks.
//
// Lines of JSON come on standard input and go to standard output. Whatever the plugin prints goes to standard error.
// What it answers is its own word: plugseal checks it, and gives it no more than was reviewed.

import { Console } from "node:console";
import { realpathSync, writeSync } from "node:fs";
import Module, { register } from "node:module";
import { Socket } from "node:net";
import { dirname, isAbsolute } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

import { describe } from "./describe.mjs";
import { METHODS } from "./methods.mjs";

const { parse, stringify } = JSON;
const file = realpathSync(process.argv[2]); // Node names what it loads by the real path.
const root = `${dirname(file)}/`;
const waiting = new Map();
let asked = 0;
let plugin;

// Halves of characters, as a text that was cut may end in, have no meaning outside: a sign stands for them.
const whole = (line) => line.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === "\\\\" ? found : "\\ufffd"));

function send(body) {
  let rest = Buffer.from(`${whole(stringify(body))}\n`);
  while (rest.length) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the reader is slow
    }
  }
}

function words(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that can't be shown was thrown";
  }
}

// Ask plugseal for something that a contribution may do: say, ask, run.
function ask(of, method, params) {
  asked += 1;
  send({ ask: asked, of, method, params });
  return new Promise((resolve, reject) => waiting.set(asked, { resolve, reject }));
}

function answered(message) {
  const found = waiting.get(message.answer);
  waiting.delete(message.answer);
  if (found === undefined) return;
  if (message.error === undefined) found.resolve(message.result);
  else found.reject(new Error(message.error));
}

async function load({ cwd }) {
  process.chdir(cwd);
  const module = await import(pathToFileURL(file).href);
  plugin = module.default;
  return describe(plugin, cwd);
}

async function perform({ id, method, params }) {
  let line;
  try {
    const result = method === "load" ? await load(params) : await METHODS[method](plugin, params, (...what) => ask(id, ...what));
    line = { id, result: result === undefined ? null : result };
    stringify(line); // throws for what is no JSON
  } catch (error) {
    line = { id, error: words(error) };
  }
  send(line);
}

// What `require` loads is held to the same folder as what `import` loads (`resolving.mjs`).
function holdToFolder() {
  const resolved = Module._resolveFilename;
  Module._resolveFilename = function (...given) {
    const found = resolved.apply(this, given);
    if (isAbsolute(found) && !found.startsWith(root)) {
      throw new Error(`\`${given[0]}\` lies outside the reviewed plugin`);
    }
    return found;
  };
}

function protect() {
  const quiet = new Readable({ read() {} });
  quiet.push(null);
  Object.defineProperty(process, "stdin", { value: quiet, configurable: true });
  Object.defineProperty(process, "stdout", { value: process.stderr, configurable: true });
  globalThis.console = new Console(process.stderr, process.stderr);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => console.error(`the plugin failed in the background: ${words(error)}`));
  }
}

protect();
register("./resolving.mjs", import.meta.url, { data: { root: pathToFileURL(root).href } });
holdToFolder();
let rest = "";
// Not a stream of a file: one that waits for a line would keep the process from ending.
const input = new Socket({ fd: 0, readable: true, writable: false });
input.setEncoding("utf8");
input.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const message = parse(line);
    if ("answer" in message) answered(message);
    else perform(message);
  }
});
input.on("end", () => process.exit(0));
