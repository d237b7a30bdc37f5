import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment as alone } from "./environment";

const binary = process.env.ATRIUM_BINARY ?? fileURLToPath(new URL("../../target/debug/atrium", import.meta.url));

/** The password of all members. */
export const password = "correct horse battery staple";

export interface Server {
  /** The server's address. */
  url: string;
  stop: () => Promise<void>;
}

type Environment = Record<string, string>;

/** Runs a command of the binary; returns its output. */
function run(dataDir: string, args: string[], input = "", environment: Environment = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(binary, [...args, "--data-dir", dataDir], { env: alone(environment) }, (error, stdout, stderr) => {
      if (error) reject(new Error(`atrium ${args.join(" ")}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}

/** Starts the server on a free port; resolves when its output contains the expected text. */
function serve(
  dataDir: string,
  flags: string[],
  said: RegExp,
  environment: Environment = {},
  listen = "127.0.0.1:0",
): Promise<{ process: ChildProcess; words: RegExpExecArray }> {
  const args = ["serve", "--listen", listen, "--data-dir", dataDir, ...flags];
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], env: alone(environment) });
  let output = "";
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk;
      const words = said.exec(output);
      if (words) resolve({ process: child, words });
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("exit", () => reject(new Error(`The server ended at its start:\n${output}`)));
    child.once("error", reject);
  });
}

export const people = {
  ada: { name: "Ada Moreno", email: "ada@acme.example", role: "owner" },
  ben: { name: "Ben Okafor", email: "ben@acme.example", role: "member" },
  vera: { name: "Vera Lindqvist", email: "vera@acme.example", role: "viewer" },
  gus: { name: "Gus Haller", email: "gus@globex.example", role: "owner" },
} as const;

/** Starts a new installation with two companies; `environment` sets its settings, `listen` its address. */
export async function startServer(environment?: Environment, listen?: string): Promise<Server> {
  await access(binary).catch(() => {
    throw new Error(`${binary} is not there: run "cargo server" first, or name another in ATRIUM_BINARY`);
  });
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-e2e-"));
  const company = (slug: string, name: string, scheme: string, owner: { name: string; email: string }) =>
    run(
      dataDir,
      // biome-ignore format: a flag and its value belong together
      ["tenant", "create", "--slug", slug, "--name", name, "--color-scheme", scheme, "--domain", `${slug}.localhost`,
        "--timezone", "Europe/Madrid", "--owner-name", owner.name, "--owner-email", owner.email, "--owner-password-stdin"],
      `${password}\n`,
    );
  await company("acme", "Acme Ltd", "brand", people.ada);
  await company("globex", "Globex", "indigo", people.gus);
  for (const { name, email, role } of [people.ben, people.vera]) {
    const args = ["user", "create", "--tenant", "acme", "--name", name, "--email", email, "--role", role, "--password-stdin"];
    await run(dataDir, args, `${password}\n`);
  }
  const { process, words } = await serve(dataDir, [], /(http:\/\/127\.0\.0\.1:\d+)/, environment, listen);
  return { url: words[1] ?? "", stop: () => end(process, dataDir) };
}

export interface Fresh extends Server {
  /** The link that creates the first company, as printed at startup; empty if any guest may create one. */
  setUp: string;
  /** Returns the newest e-mail with a link to an address; without a mail server, e-mails are stored. */
  mailTo: (email: string) => Promise<{ link: string; html: string } | undefined>;
}

/** Starts an installation without a company. */
export async function startFresh(environment?: Environment): Promise<Fresh> {
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-fresh-"));
  const listening = /(http:\/\/127\.0\.0\.1:\d+)/;
  const said = environment?.ATRIUM_SIGNUP === "open" ? listening : /(http:\/\/127\.0\.0\.1:\d+)[\s\S]*?(http:\S+\/sign-up#\w+)/;
  const { process, words } = await serve(dataDir, [], said, environment);
  const [, url = "", setUp = ""] = words;
  const mailTo = async (email: string) => {
    const folder = join(dataDir, "outgoing");
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).sort();
    for (const name of names.reverse()) {
      const message = await readFile(join(folder, name), "utf8");
      const link = /^X-Atrium-Link: (\S+)/m.exec(message)?.[1];
      if (!link || !new RegExp(`^To:.*${email.replaceAll(".", "\\.")}`, "m").test(message)) continue;
      const html = message.slice(message.indexOf("<!doctype html>"), message.indexOf("</html>"));
      return { link, html: html.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=") };
    }
    return undefined;
  };
  return { url, setUp, mailTo, stop: () => end(process, dataDir) };
}

export interface Demo extends Server {
  email: string;
  password: string;
}

/** Starts an installation with demo data; reads the sign-in from its output. */
export async function startDemo(): Promise<Demo> {
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-demo-"));
  const said = /on (http:\/\/127\.0\.0\.1:\d+)[\s\S]*? as (\S+@\S+) [\s\S]*?"([^"]+)"/;
  const { process, words } = await serve(dataDir, ["--demo"], said);
  const [, url = "", email = "", secret = ""] = words;
  return { url, email, password: secret, stop: () => end(process, dataDir) };
}

/** Stops a server gracefully and deletes its data. */
async function end(child: ChildProcess, dataDir: string) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}
