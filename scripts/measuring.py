"""What the benchmarks share: servers that are measured, load from wrk and timed calls, companies and files to measure with.

Set `TEMP` to a folder before use. `SECONDS` is how long one round of wrk takes.
"""

import json, os, random, re, signal, socket, statistics, subprocess, sys, time, urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEMP = None
SECONDS = int(os.environ.get("BENCH_SECONDS", "5"))
PASSWORD = "correct horse battery"
CLOCK = os.sysconf("SC_CLK_TCK")
ABOUT = "x" * 420


def call(base, path, body=None, token=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method)
    request.add_header("content-type", "application/json")
    if token:
        request.add_header("authorization", token)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if text else None


class Server:
    """A server that is measured."""

    def __init__(self, name, command, ready, env=None):
        self.name, self.command, self.ready_path = name, command, ready
        self.env, self.process, self.base = {**os.environ, **(env or {})}, None, None

    def start(self):
        started = time.perf_counter()
        self.process = subprocess.Popen(self.command, stdout=open(f"{TEMP}/{self.name}.log", "ab"), stderr=subprocess.STDOUT, env=self.env)
        while True:
            try:
                urllib.request.urlopen(self.base + self.ready_path, timeout=1).read()
                return time.perf_counter() - started
            except Exception:
                if self.process.poll() is not None:
                    sys.exit(f"{self.name} ended: {open(f'{TEMP}/{self.name}.log').read()[-2000:]}")
                time.sleep(0.0005)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def memory(self, what="VmRSS"):
        return int(re.search(rf"{what}:\s+(\d+)", open(f"/proc/{self.process.pid}/status").read()).group(1)) / 1024


def requests_of(server, script, connections, seconds):
    """Sends requests for some seconds. Returns their number, and what wrk says of them."""
    path = f"{TEMP}/{server.name}.lua"
    open(path, "w").write(script)
    threads = min(connections, 2)
    out = subprocess.run(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", path, server.base],
                         capture_output=True, text=True, check=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad:
        sys.exit(f"{server.name}: {bad.group(0)}\n{script}\n{out}")
    return int(re.search(r"(\d+) requests in", out).group(1)), out


def wrk(server, script, connections=32, seconds=None):
    """Returns requests a second, CPU microseconds a request, and p99 in milliseconds."""
    before = server.cpu()
    requests, out = requests_of(server, script, connections, seconds or SECONDS)
    used = server.cpu() - before
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    p99 = float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), used / requests * 1e6, p99


class Kept:
    """Sends timed requests one after the other on one connection."""

    def __init__(self, server, token):
        import http.client
        self.connection = http.client.HTTPConnection(server.base.split("//")[1])
        self.headers = {"content-type": "application/json", "authorization": token}

    def call(self, method, path, body=None):
        started = time.perf_counter()
        self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        took = (time.perf_counter() - started) * 1000
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {text[:200]}")
        return json.loads(text), took


def headers(token):
    return f'wrk.headers["content-type"]="application/json"\nwrk.headers["authorization"]="{token}"\n'


def get(token, path):
    # Computed once: building each request costs the generator as much as the response costs the server.
    return headers(token) + f'wrk.path="{path}"'


def post(token, path, body):
    return headers(token) + f"""
local n = 0
local id = math.random(1, 1000000000)
request = function()
  n = n + 1
  return wrk.format("POST", "{path}", nil, string.gsub([==[{json.dumps(body)}]==], "@", id .. "x" .. n))
end"""


def words(token, path, queries):
    return headers(token) + f"""
local queries = {{{",".join(json.dumps(query) for query in queries)}}}
local n = math.random(1, #queries)
request = function()
  n = n % #queries + 1
  return wrk.format("POST", "{path}", nil, '{{"query":"' .. queries[n] .. '"}}')
end"""


PEOPLE = ["Ana López", "José Núñez", "Sarah Reed", "Li Wei", "Marta Puig", "Søren Kjær", "Ada Hopper", "Tom Vaughan", "Chidi Okafor"]
QUERIES = [name[:end].lower() for name in ("jose nunez", "maria lopez", "kjaergaard", "castellanos", "hollenbeck", "ana garcia", "okafor", "lovelace")
           for end in range(2, len(name) + 1)]


class Table:
    def __init__(self):
        self.rows = []

    def add(self, what, ours, other="", ratio="", goal=""):
        self.rows.append((what, ours, other, ratio, goal))
        print(f"{what:<52} {ours:>30} {other:>30} {ratio:>9}  {goal}", flush=True)

    def compare(self, what, ours, other, goal):
        """Adds the median of several rounds, each (rate, cpu, p99)."""
        a = [statistics.median(column) for column in zip(*ours)]
        text = lambda row: f"{row[0]:,.0f}/s · {row[1]:.0f} µs CPU · p99 {row[2]:.1f} ms"
        if not other:
            return self.add(what, text(a), "", "", goal)
        b = [statistics.median(column) for column in zip(*other)]
        self.add(what, text(a), text(b), f"{a[0] / b[0]:.1f} ×", goal)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# wrk breaks off what is under way at its end, and a sign-in that is broken off counts as a failure.
SETTINGS = {
    "ATRIUM_LIMITS_CONNECTIONS_PER_ADDRESS": "0",
    "ATRIUM_SIGN_IN_ACCOUNT_FAILURES": "1000",
    "ATRIUM_SIGN_IN_ADDRESS_FAILURES": "1000",
    "ATRIUM_LOG_LEVEL": "warn",
}


def atrium(directory, binary):
    port = free_port()
    command = [binary, "serve", "--data-dir", directory, "--listen", f"127.0.0.1:{port}"]
    server = Server("atrium", command, "/health/ready", SETTINGS)
    server.base = f"http://127.0.0.1:{port}"
    server.directory = directory
    return server


def sign_in(server, email):
    return "Bearer " + call(server.base, "/api/auth/sign-in", {"email": email, "password": PASSWORD})["accessToken"]


def people_file(count, first=0):
    """Returns a CSV file of people with twelve columns, numbered from `first`. Every 200th is in it twice, in another spelling."""
    lines = ["Name,Email,Phone,Company,Job title,Street,City,Country,Birthday,Tags,Status,Notes"]
    for n in range(first, first + count):
        of = n - 1 if n % 200 == 199 else n
        first, last = PEOPLE[of % len(PEOPLE)].split(" ")
        name = f"{last}{of // 9} {first}" if of != n else f"{first} {last}{of // 9}"
        lines.append(f"{name},p{of}@mail{of % 5000}.example,+34 6{of % 100_000_000:08},Company {of % 30_000},Miller,Sol {of % 90},Madrid,Spain,"
                     f"19{50 + of % 50}-0{1 + of % 9}-1{of % 9},retail;hotel,lead,Likes tea {of}")
    return "\n".join(lines).encode()


def upload(server, token, kind, file):
    """Uploads a CSV file, and returns its import."""
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="records.csv"\r\nContent-Type: text/csv\r\n\r\n' + file + b"\r\n--b--\r\n"
    request = urllib.request.Request(f"{server.base}/api/imports?kind={kind}", data=form, method="POST",
                                     headers={"content-type": "multipart/form-data; boundary=b", "authorization": token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def company(directory, binary):
    """Starts a server with two companies."""
    server = atrium(directory, binary)
    for slug, name in (("t0", "ada@acme.example"), ("t1", "bea@bees.example")):
        subprocess.run([binary, "tenant", "create", "--data-dir", directory, "--slug", slug, "--name", "T", "--owner-name", "Ada", "--owner-email",
                        name, "--owner-password-stdin"], input=PASSWORD, text=True, check=True, capture_output=True)
    server.start()
    return server
