// Says what the imports of a plugin load: what lies in its own folder, Node's own modules, and the few words of Amness
// that a plugin may import. Whatever else leads out of the folder is refused: nobody reviewed it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";

const WORDS = new URL("./words.mjs", import.meta.url).href;
const SUFFIX = /\.[cm]?[jt]s$/;
let root = "";

export function initialize(data) {
  root = data.root;
}

// Amness is imported by its name, or by the path of its sources.
function isAmness(specifier) {
  return /^amness(?:\/|$)/.test(specifier) || /(?:^|\/)src\/index\.[jt]s$/.test(specifier);
}

function isOutside(url) {
  return url.startsWith("file:") && !url.startsWith(root) && url !== WORDS;
}

// How TypeScript is imported elsewhere: by the name of what it is compiled to, or without a suffix.
function alternatives(specifier) {
  if (!/^\.{1,2}\//.test(specifier)) return [];
  if (/\.[cm]?js$/.test(specifier)) return [specifier.replace(/js$/, "ts")];
  return SUFFIX.test(specifier) ? [] : [".ts", ".js", "/index.ts", "/index.js"].map((end) => specifier + end);
}

async function first(specifiers, context, next) {
  let missing;
  for (const specifier of specifiers) {
    try {
      return await next(specifier, context);
    } catch (error) {
      if (!["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"].includes(error.code)) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? "";
  if (!parent.startsWith(root)) return next(specifier, context);
  let found;
  try {
    found = await first([specifier, ...alternatives(specifier)], context, next);
  } catch (error) {
    if (isAmness(specifier)) return { url: WORDS, shortCircuit: true };
    throw error;
  }
  if (!isOutside(found.url)) return found;
  if (isAmness(specifier)) return { url: WORDS, shortCircuit: true };
  throw new Error(`\`${specifier}\` lies outside the reviewed plugin`);
}

// A file is CommonJS if it can be compiled as that: the same rule by every version of Node.
function isCommonJs(source) {
  try {
    compileFunction(source, ["exports", "require", "module", "__filename", "__dirname"]);
    return /\b(?:require|exports|module)\b/.test(source);
  } catch {
    return false;
  }
}

export async function load(url, context, next) {
  if (!url.startsWith(root) || !/\.[jt]s$|\.mts$/.test(new URL(url).pathname)) return next(url, context);
  const source = readFileSync(fileURLToPath(url), "utf8");
  if (isCommonJs(source)) return { format: "commonjs", source: null, shortCircuit: true };
  return { format: "module", source, shortCircuit: true };
}
