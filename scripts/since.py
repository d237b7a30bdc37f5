"""Compares the standing calls of two builds of Atrium: CPU time per request, on equal data, in interleaved rounds.

`scripts/bench since COMMIT` builds that commit in a folder that is kept (`target/since`) and the present state, both in the
profile `quick`, and prints a table for docs/performance.md and for the note of an issue. Each line has the median of the
ratios of its rounds, and their spread: half the distance between the quartiles. A line counts when its spread is at most
0.03; until then its rounds are repeated, up to a limit. Calls that one of the builds does not have are left out by name.
`BENCH_LINES=read,list` measures only lines whose names contain one of the words.

With `BENCH_INSTRUCTIONS=1` the table has the instructions of a request, which valgrind counts (callgrind): they are the same
however busy the machine is, where the time of the processor has too large a spread. One client sends its requests one after the other, so
that writes share no commits. The files of the last side stay in the folder, for `callgrind_annotate`.
"""

import glob, os, random, re, shutil, signal, statistics, subprocess, sys, time, urllib.error

import measuring
from measuring import ABOUT, PASSWORD, PEOPLE, QUERIES, ROOT, Kept, call, get, headers, people_file, post, sign_in, upload, words

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
# Rounds after which a line is printed even if its spread is too large.
MOST_ROUNDS = 4 * ROUNDS
SPREAD = 0.03
# Seconds of load in each round.
SECONDS = int(os.environ.get("BENCH_SECONDS", "2"))
# Records of a bulk change and of an import.
MANY = 5_000
OWNER = "ada@acme.example"


def build(commit):
    """Builds a commit in its kept folder and returns its binary."""
    short = subprocess.run(["git", "rev-parse", "--short=8", f"{commit}^{{commit}}"], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    folder = f"{ROOT}/target/since/{short}"
    binary = f"{folder}/target/quick/atrium"
    if os.path.exists(binary):
        return binary, short
    os.makedirs(folder, exist_ok=True)
    files = subprocess.Popen(["git", "archive", short], stdout=subprocess.PIPE, cwd=ROOT)
    subprocess.run(["tar", "-x", "-C", folder], stdin=files.stdout, check=True)
    if files.wait() != 0:
        sys.exit(f"the files of {short} cannot be read")
    build_here(folder)
    return binary, short


def build_here(folder):
    """Builds the interface and the binary of a checkout, in the profile of `make run`."""
    subprocess.run(["make", "--no-print-directory", "ui"], check=True, cwd=folder, stdout=sys.stderr)
    subprocess.run(["cargo", "build", "--quiet", "--profile", "quick", "--bin", "atrium"], check=True, cwd=folder)
    return f"{folder}/target/quick/atrium"


class Side:
    """One of the two builds, with a server and the ids of its records."""

    def __init__(self, name, binary):
        self.server = measuring.company(f"{measuring.TEMP}/{name}", binary)
        self.server.name = name
        self.rounds = 0
        self.fill()

    def token(self):
        return sign_in(self.server, OWNER)

    def fill(self):
        kept, made = Kept(self.server, self.token()), random.Random(1)
        # Named, since only later versions make the creator the owner.
        owner = kept.call("GET", "/api/common/user")[0]["id"]
        for n in range(2_000):
            details = {"emails": [{"email": f"a{n}@acme.example", "label": "Work"}], "phoneNumbers": [], "company": f"Company {n % 50}"}
            name = f"{made.choice(PEOPLE)} {n}"
            status = "active" if n % 3 == 0 else "lead"
            new = {"name": name, "status": status, "tags": ["retail"], "ownerId": owner, "about": ABOUT, "details": details}
            self.customer = kept.call("POST", "/api/customers", new)[0]["id"]
            if n % 10 == 0:
                self.task = kept.call("POST", "/api/tasks", {"title": f"Call {name}", "tags": ["call"]})[0]["id"]
        for n in range(40):
            day = f"2026-06-{1 + n % 20:02}T{8 + n % 9:02}"
            event = {"title": f"Event {n}", "start": f"{day}:00:00Z", "end": f"{day}:45:00Z"}
            if n % 4 == 0:
                event |= {"recurrence": "FREQ=WEEKLY"}
            kept.call("POST", "/api/events", event)
        colleague = kept.call("POST", "/api/team", {"name": "Cy", "email": "cy@acme.example", "role": "member", "password": PASSWORD})[0]["id"]
        self.chat = kept.call("POST", "/api/apps/chat/groups", {"name": "Group", "memberIds": [colleague]})[0]["id"]
        for n in range(200):
            change = {"title": f"Long {n}"} if n % 2 else {"notes": f"Notes {n}"}
            kept.call("PATCH", f"/api/tasks/{self.task}", change)


class Load:
    """A line that is measured by wrk: microseconds of CPU per request."""

    unit = "µs"

    def __init__(self, script, connections=8, exists=lambda side: True, prepare=lambda side: None):
        self.script, self.connections, self.exists, self.prepare = script, connections, exists, prepare

    def measure(self, side):
        return measuring.wrk(side.server, self.script(side, side.token()), self.connections, SECONDS)[1]


def rebuild_index(side):
    """Lets the server build its search index again. A search costs the more, the more segments the index has, and their number
    depends on the time of the last merge."""
    side.server.stop()
    shutil.rmtree(f"{side.server.directory}/index")
    side.server.start()
    while len(call(side.server.base, "/api/common/search", {"query": "company 49", "limit": 50}, side.token())) == 0:
        time.sleep(0.1)
    time.sleep(2)


class Work:
    """A line that waits for work in the background: microseconds of CPU per record."""

    unit = "µs"

    def __init__(self, begin, path, over):
        self.begin, self.path, self.over = begin, path, over

    def exists(self, side):
        return has(side, f"{self.path}?kind=customers" if self.path == "/api/bulk" else self.path)

    def measure(self, side):
        kept = Kept(side.server, side.token())
        side.rounds += 1
        before = side.server.cpu()
        made, count = self.begin(side, kept)
        while kept.call("GET", f"{self.path}/{made}")[0]["state"] not in self.over:
            time.sleep(0.02)
        # The answer waits until the index has the last one.
        kept.call("GET", FILTERED)
        return (side.server.cpu() - before) / count * 1e6


def change_many(side, kept):
    status = ("lead", "active")[side.rounds % 2]
    made = kept.call("POST", "/api/bulk", {"kind": "customers", "filter": [], "change": {"status": status}})[0]
    return made["id"], made["total"]


def import_many(side, kept):
    # Other people in each round: those that are there already cost less.
    made = upload(side.server, side.token(), "customers", people_file(MANY, side.rounds * MANY))
    kept.call("POST", f"/api/imports/{made['id']}/start", {})
    return made["id"], made["rows"]


class Start:
    """The CPU time until the first answer after a kill, in milliseconds."""

    unit = "ms"

    def exists(self, side):
        return True

    def measure(self, side):
        side.server.stop(signal.SIGKILL)
        side.server.start()
        side.server.process.send_signal(signal.SIGKILL)
        _, _, used = os.wait4(side.server.process.pid, 0)
        side.server.process.returncode = 0
        side.server.start()
        return (used.ru_utime + used.ru_stime) * 1e3


class IdleMemory:
    """The memory of a server that has answered one call since its start, in megabytes: its own, without the pages of the
    program file that the system keeps and may drop."""

    unit = "MB"

    def exists(self, side):
        return True

    def measure(self, side):
        side.server.stop()
        side.server.start()
        side.token()
        time.sleep(1)
        return side.server.memory("RssAnon")


def has(side, path):
    """Whether a build has a call."""
    try:
        call(side.server.base, path, token=side.token())
        return True
    except urllib.error.HTTPError as error:
        if error.code in (400, 404, 405):
            return False
        raise


def filters(side):
    """Whether a build filters a list by columns: an old one answers with all records."""
    return all(customer["status"] == "active" for customer in call(side.server.base, FILTERED, token=side.token())["items"])


WEEK = "/api/events?from=2026-06-08T00:00:00Z&to=2026-06-15T00:00:00Z"
FILTERED = "/api/customers?limit=50&filter=status:is:active&sort=-updatedAt"
SIGN_IN = 'request=function() return wrk.format("POST","/api/auth/sign-in",nil,[==[{"email":"bea@bees.example","password":"' + PASSWORD + '"}]==]) end'

LINES = {
    "read of one customer": Load(lambda side, token: get(token, f"/api/customers/{side.customer}")),
    "list of 50 customers": Load(lambda side, token: get(token, "/api/customers?limit=50&sort=name")),
    "list of 50 customers of one status": Load(lambda side, token: get(token, "/api/customers?limit=50&sort=name&status=active")),
    "list of 50 customers, filtered and sorted by columns": Load(lambda side, token: get(token, FILTERED), exists=filters),
    "list of 50 tasks": Load(lambda side, token: get(token, "/api/tasks?limit=50")),
    "events of a week": Load(lambda side, token: get(token, WEEK)),
    "timeline of a task": Load(lambda side, token: get(token, f"/api/tasks/{side.task}/timeline"), exists=lambda side: has(side, f"/api/tasks/{side.task}/timeline")),
    "search as one types": Load(lambda side, token: words(token, "/api/common/search", QUERIES), prepare=rebuild_index),
    "dashboard": Load(lambda side, token: get(token, "/api/dashboards/project")),
    "notifications": Load(lambda side, token: get(token, "/api/common/notifications")),
    "insert of a customer": Load(lambda side, token: post(token, "/api/customers", {"name": "Ana López @", "status": "lead", "about": ABOUT})),
    "change of a customer": Load(lambda side, token: post(token, f"/api/customers/{side.customer}", {"about": "About @"}).replace("POST", "PATCH")),
    "insert of a task": Load(lambda side, token: post(token, "/api/tasks", {"title": "Task @"})),
    "message in a chat": Load(lambda side, token: post(token, "/api/apps/chat/messages", {"chatId": side.chat, "value": "Hello @"})),
    "sign-in": Load(lambda side, token: headers("") + SIGN_IN, connections=4),
    f"bulk change, each of {MANY:,}": Work(change_many, "/api/bulk", ("done",)),
    f"import, each of {MANY:,}": Work(import_many, "/api/imports", ("done",)),
    "start after kill -9": Start(),
    "memory when idle": IdleMemory(),
}


def spread_of(ratios):
    low, _, high = statistics.quantiles(ratios, n=4)
    return (high - low) / 2


def compare(binary, other, name="the other"):
    """Measures all lines with both binaries and prints the table."""
    sides = [Side("ours", binary), Side("other", other)]
    wanted = os.environ.get("BENCH_LINES", "").split(",")
    left_out = []
    print(f"| what | now | {name} | ratio | spread |\n| --- | --- | --- | --- | --- |", flush=True)
    for what, line in LINES.items():
        if not any(word in what for word in wanted):
            continue
        if not all(line.exists(side) for side in sides):
            left_out.append(what)
            continue
        for side in sides if isinstance(line, Load) else []:
            line.prepare(side)
        rounds = []
        while len(rounds) < ROUNDS or (len(rounds) < MOST_ROUNDS and spread_of([a / b for a, b in rounds]) > SPREAD):
            # In turn, so that neither side is always measured first.
            pair = [None, None]
            for at in ((0, 1), (1, 0))[len(rounds) % 2]:
                pair[at] = line.measure(sides[at])
            rounds.append(pair)
        ratios = [a / b for a, b in rounds]
        now, then = (statistics.median(column) for column in zip(*rounds))
        spread = spread_of(ratios)
        remark = "" if spread <= SPREAD else f", does not count after {len(rounds)} rounds"
        print(f"| {what} | {now:,.0f} {line.unit} | {then:,.0f} {line.unit} | {statistics.median(ratios):.2f} × | ± {spread:.2f}{remark} |", flush=True)
    if left_out:
        print(f"\nNot in both builds, and left out: {', '.join(left_out)}.")
    for side in sides:
        side.server.stop()


def count(side):
    """Counts the instructions of the lines that are measured by wrk. Returns those of a request by line."""
    wanted = os.environ.get("BENCH_LINES", "").split(",")
    lines = {what: line for what, line in LINES.items()
             if isinstance(line, Load) and any(word in what for word in wanted) and line.exists(side)}
    plain, files = side.server.command, f"{measuring.TEMP}/{side.server.name}.callgrind"
    rebuild_index(side)
    side.server.stop()
    side.server.command = ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={files}", *plain]
    side.server.start()

    def dump_instructions(name):
        """Writes the instructions since the last dump to a file with this name. Returns their number."""
        subprocess.run(["callgrind_control", "-d", name, str(side.server.process.pid)], capture_output=True, check=True)
        newest = max(glob.glob(f"{files}.*"), key=os.path.getmtime)
        os.rename(newest, f"{files}-{name.replace(' ', '-')}")
        return int(re.search(r"^(?:totals|summary): (\d+)", open(f"{files}-{name.replace(' ', '-')}").read(), re.M).group(1))

    counts = {}
    for what, line in lines.items():
        script = line.script(side, side.token())
        measuring.requests_of(side.server, script, 1, 1)
        dump_instructions(f"before {what}")
        requests, _ = measuring.requests_of(side.server, script, 1, 3 * SECONDS)
        counts[what] = dump_instructions(what) / requests
    side.server.stop(signal.SIGKILL)
    side.server.command = plain
    return counts


def compare_instructions(binary, other, name="the other"):
    """Counts the instructions of all lines with both binaries, one side after the other, and prints the table."""
    now, then = (count(Side(what, path)) for what, path in (("ours", binary), ("other", other)))
    print(f"| what | now | {name} | ratio |\n| --- | --- | --- | --- |")
    for what in [what for what in LINES if what in now and what in then]:
        print(f"| {what} | {now[what] / 1e3:,.0f} | {then[what] / 1e3:,.0f} thousand instructions | {now[what] / then[what]:.2f} × |")


def compare_with_commit(commit):
    """Builds a commit and the present state, and compares them."""
    other, name = build(commit)
    how = compare_instructions if os.environ.get("BENCH_INSTRUCTIONS") else compare
    how(build_here(ROOT), other, name)
