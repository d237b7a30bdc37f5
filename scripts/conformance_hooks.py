"""Hooks for schemathesis: sign in, and make half of the requests refer to existing records."""

import json
import os
import re
import unicodedata
import urllib.request
from zlib import crc32

import schemathesis
from hypothesis import strategies

URL = os.environ["ATRIUM_URL"]
CHAT = "/api/apps/chat/chat"


def send(method, path, form=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = None if form is None else json.dumps(form).encode()
    request = urllib.request.Request(URL + path, data=body, headers=headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def sign_in():
    form = {"email": "ada@acme.example", "password": "examples do not know this"}
    return send("POST", "/api/auth/sign-in", form)["accessToken"]


# Dates of birth whose year may be unknown.
DAYS = strategies.dates().map(lambda day: day.isoformat())
schemathesis.openapi.format("birthday", DAYS | DAYS.map(lambda day: f"-{day[4:]}"))


# Access tokens are valid for five minutes.
@schemathesis.auth(refresh_interval=180)
class Bearer:
    def get(self, case, ctx):
        return sign_in()

    def set(self, case, data, ctx):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


def populate():
    """Creates one record of each kind; returns the ids by path prefix."""
    token = sign_in()

    def make(path, form):
        return send("POST", path, form, token)["id"]

    day = {"title": "Fair", "allDay": True, "startDate": "2026-11-21", "endDate": "2026-11-22"}
    member = {"name": "Ben", "email": "ben@acme.example", "role": "member", "password": "examples do not know this"}
    made = {
        "/api/customers": make("/api/customers", {"name": "José Ñúñez"}),
        "/api/organizations": make("/api/organizations", {"name": "López SL"}),
        "/api/deals": make("/api/deals", {"title": "Rugs"}),
        "/api/tasks": make("/api/tasks", {"title": "Call José"}),
        "/api/pages": make("/api/pages", {"title": "Welcome", "body": "<p>Hello</p>"}),
        "/api/events": make("/api/events", day),
        "/api/team": make("/api/team", member),
        "/api/common/messages": make("/api/common/messages", {"message": {"title": "Hello"}}),
        "/api/common/notifications": make("/api/common/notifications", {"notification": {"title": "Hello"}}),
        "/api/common/shortcuts": make(
            "/api/common/shortcuts",
            {"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": True}},
        ),
    }
    note = {"type": "note", "text": "Likes blue", "links": [{"kind": "customer", "recordId": made["/api/customers"]}]}
    made["/api/activities"] = make("/api/activities", note)
    made[CHAT] = make(CHAT, {"contactId": made["/api/team"]})
    return made


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
MADE = populate()
# Fields that refer to a kind of record, in any call.
NAMED = {
    "chatId": CHAT,
    "contactId": "/api/team",
    "ownerId": "/api/team",
    "assigneeId": "/api/team",
    "customerId": "/api/customers",
    "organizationId": "/api/organizations",
    "dealId": "/api/deals",
    "parentId": "/api/pages",
}


def real(ctx, values):
    """Replaces half of the ids by those of existing records. A checksum of the id decides, so that a repeated
    request stays the same. Values that are not ids stay, except where the document allows any text. Deletions
    keep their ids, because the records are still needed."""
    operation = ctx.operation
    if not isinstance(values, dict) or operation.method.upper() == "DELETE":
        return values
    kind = next((path for path in MADE if operation.path.startswith(path)), None)
    for name, value in values.items():
        target = NAMED.get(name, kind if name == "id" else None)
        if not target or not isinstance(value, str):
            continue
        fits = target == CHAT or UUID.fullmatch(value)
        if fits and crc32(value.encode("utf-8", "surrogatepass")) % 2:
            values[name] = MADE[target]
    return values


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    return real(ctx, path_parameters)


@schemathesis.hook
def map_query(ctx, query):
    # Without it, the call waits 25 seconds for changes each time.
    if ctx.operation.path == "/api/live" and query and "after" in query and query.get("wait") in (None, *range(26)):
        query["wait"] = 0
    return real(ctx, query)


@schemathesis.hook
def map_body(ctx, body):
    return real(ctx, body)


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


@schemathesis.hook
def filter_body(ctx, body):
    """Leaves out what the server cannot see: texts that are too long only before invisible characters and spaces are
    taken away, and empty lists in a form, which are not sent."""

    def shortens(text):
        shown = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c)[0] != "C")
        return len(" ".join(shown.split())) < len(text)

    if ctx.operation.path == "/api/files" and isinstance(body, dict) and [] in body.values():
        return False
    return not any(len(text) > 40 and shortens(text) for text in texts(body))


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Takes the least length and pattern of If-Match away and gives its values: schemathesis makes an empty one of them,
    and takes it for valid."""
    for path in raw_schema["paths"].values():
        for call in path.values():
            for parameter in call.get("parameters", []):
                if parameter["name"] == "If-Match":
                    parameter["schema"] = {"type": "string", "enum": ["*", '"3"', 'W/"3"']}
