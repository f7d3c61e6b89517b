// @ts-check
import { spawnSync } from "node:child_process";
import { BenchFailure } from "./bench-failure.mjs";
import { WHOLE_ANSWER } from "./traffic.mjs";
import { ANSWERS } from "./wire-traffic.mjs";

/** One worker on one port, and every file in its own folder. @param {number} port @param {string} server */
export function nginxConfig(port, server) {
  const scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid nginx.pid;
events { worker_connections 8192; }
http {
  access_log off;
  client_max_body_size 4m;
  client_body_buffer_size 4m;
  keepalive_requests 100000000;
  ${scratch.join("\n  ")}
  ${server.replaceAll("LISTEN", `listen 127.0.0.1:${port};`)}
}
`;
}

/** The cheapest upstream there is: nginx itself, answering from its configuration in OpenAI's format and in our own. */
export function fixedAnswer() {
  const answer = (/** @type {string} */ text) => `{ return 200 '${text.replaceAll("'", "\\'")}'; }`;
  return `server {
    LISTEN
    default_type application/json;
    location / ${answer(WHOLE_ANSWER)}
    location /v1/chat/completions ${answer(ANSWERS.openai.whole)}
  }`;
}

/** Nothing but passing on, with connections kept on both sides. @param {number} wholePort @param {number} wirePort */
export function bareProxy(wholePort, wirePort) {
  return `
  upstream whole { server 127.0.0.1:${wholePort}; keepalive 64; keepalive_requests 100000000; }
  upstream wire { server 127.0.0.1:${wirePort}; keepalive 64; keepalive_requests 100000000; }
  server {
    LISTEN
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location / { proxy_pass http://whole; }
    location /streams/ { proxy_pass http://wire/; proxy_buffering off; }
  }`;
}

/** Debian keeps nginx where an ordinary user's path does not look. */
export function nginxPath() {
  return { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
}

/** Installs nginx where it is missing, or says that it can't. */
export function requireNginx() {
  const has = () => spawnSync("nginx", ["-v"], { env: nginxPath() }).status === 0;
  if (has()) return;
  process.stdout.write("nginx is missing: installing the package nginx-light.\n");
  // At this run level the package does not start a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  spawnSync("apt-get", ["install", "-y", "nginx-light"], { env, stdio: ["ignore", "ignore", "inherit"] });
  if (!has()) {
    throw new BenchFailure(
      "The bench compares with nginx, and nginx could not be installed. Install it and run the bench again, on Debian with: apt-get install nginx-light",
    );
  }
}
