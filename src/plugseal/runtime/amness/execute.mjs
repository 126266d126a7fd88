// One line of shell: below this process, so that it ends with it.

import { spawn } from "node:child_process";

const MOST = 1 << 20;

export function execute(line, cwd, timeoutMs) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn("/bin/sh", ["-c", line], { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const end = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It is gone.
      }
    };
    const timer = timeoutMs > 0 ? setTimeout(end, timeoutMs) : undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        if (output.length < MOST) output = (output + text).slice(0, MOST);
      });
    }
    child.on("error", (error) => resolve({ code: 127, output: String(error.message) }));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      end();
      resolve({ code: code ?? (signal ? 137 : 1), output });
    });
  });
}
