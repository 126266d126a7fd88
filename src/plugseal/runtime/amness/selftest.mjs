// Tries a case of an eval without a model: its check must fail at the start, and pass with the known good fix.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";

import { execute } from "./execute.mjs";

const SECONDS = 60;

function put(folder, files) {
  for (const [name, text] of Object.entries(files ?? {})) {
    const path = resolve(folder, name);
    if (relative(folder, path).split(sep)[0] === ".." || path === folder) throw new Error(`\`${name}\` leads out of the workspace`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, String(text));
  }
}

// `true` passes; text explains a failure; a line of shell passes by its code.
async function passes(check, folder) {
  if (typeof check === "string") return (await execute(check, folder, SECONDS * 1000)).code === 0;
  return (await check(folder)) === true;
}

async function prepare(setup, folder) {
  if (typeof setup === "string") {
    const done = await execute(setup, folder, SECONDS * 1000);
    if (done.code !== 0) throw new Error(`\`setup\` ended with ${done.code}`);
  } else if (setup !== undefined) await setup(folder);
}

export async function selftest(one) {
  const folder = mkdtempSync(join(tmpdir(), "case-"));
  try {
    put(folder, one.files);
    try {
      await prepare(one.setup, folder);
    } catch (error) {
      return { outcome: "excluded", why: `its set-up failed: ${error.message}` };
    }
    if (await passes(one.check, folder)) return { outcome: "unsound", why: "its check passes before anything is done" };
    if (one.solution === undefined) return { outcome: "ok", why: "no solution: only its start was tried" };
    put(folder, one.solution);
    const done = await passes(one.check, folder);
    return done ? { outcome: "ok", why: "" } : { outcome: "unsound", why: "its check fails with its own solution" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
