"""Drives heaptop --mcp over pipes, as a client would.

client.py HEAPTOP PART…, where PART is a function below named test_PART. Every
message that the server sends is validated against the published schema of the
revision in use, if the module jsonschema is installed; else that is skipped and
counted. The schemas tests/mcp/*.schema.json.gz, without their descriptions, are from
github.com/modelcontextprotocol/modelcontextprotocol (MIT and Apache-2.0).
"""
import glob, gzip, json, os, select, shutil, subprocess, sys, tempfile, time

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = os.path.dirname(os.path.abspath(__file__))
LEAKY = "tests/data/leaky-10.gcdump"
LATER = "tests/data/leaky-10-later.gcdump.zst"
OLDEST, OLD, NEW = "2025-06-18", "2025-11-25", "2026-07-28"
REVISIONS = OLDEST, OLD, NEW
META = {"io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
RESULTS = {"initialize": "InitializeResult", "tools/list": "ListToolsResult",
           "tools/call": "CallToolResult", "server/discover": "DiscoverResult",
           "ping": "EmptyResult"}
validated = 0


def validators():
    out = {}
    for path in glob.glob(HERE + "/*.schema.json.gz"):
        schema = json.load(gzip.open(path))
        out[os.path.basename(path)[:10]] = schema
    return out


SCHEMAS = validators()


def validate(value, revision, name):
    global validated
    if not jsonschema:
        return
    schema = dict(SCHEMAS[revision])
    place = "$defs" if "$defs" in schema else "definitions"
    schema["$ref"] = "#/%s/%s" % (place, name if name in schema[place] else "JSONRPCError")
    jsonschema.validators.validator_for(schema)(schema).validate(value)
    validated += 1


class Server:
    def __init__(self, *arguments, revision=OLD):
        self.process = subprocess.Popen([sys.argv[1], "--mcp", *arguments], bufsize=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.revision, self.ids, self.rest, self.methods = revision, 0, b"", {}
        self.outputs, self.cancelled = {}, set()

    def write(self, line):
        self.process.stdin.write(line + b"\n")

    def send(self, method, **params):
        self.ids += 1
        if self.revision == NEW:
            params["_meta"] = dict(META, **params.get("_meta", {}))
        self.methods[self.ids] = method, params.get("name")
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.ids, "method": method,
                               "params": params}).encode())
        return self.ids

    def notify(self, method, **params):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method,
                               "params": params}).encode())

    def read(self, seconds=60):
        """Returns the next message, or None if there is none in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left < 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            if not block:
                return None
            self.rest += block
        line, self.rest = self.rest.split(b"\n", 1)
        message = json.loads(line.decode("utf-8"))
        self.check(message)
        return message

    def check(self, message):
        if "error" in message:
            validate(message, self.revision, "JSONRPCErrorResponse")
        elif "result" in message:
            method, tool = self.methods[message["id"]]
            if method == "ping" and self.revision == NEW:
                return
            validate(message["result"], NEW if method == "server/discover"
                     else self.revision, RESULTS[method])
            data = message["result"].get("structuredContent")
            if data and jsonschema and tool in self.outputs:
                jsonschema.Draft202012Validator(self.outputs[tool]).validate(data)
            if data:
                assert json.loads(message["result"]["content"][0]["text"]) == data
        else:
            assert message["method"] == "notifications/progress"
            validate(message, self.revision, "ProgressNotification")

    def request(self, method, **params):
        wanted = self.send(method, **params)
        while True:
            message = self.read()
            assert message, "no answer to " + method
            if message.get("id") == wanted:
                return message
            assert message.get("id") not in self.cancelled, "cancelled, and answered"

    def call(self, tool, **arguments):
        """Returns the data of an answer, or the text of an error."""
        result = self.request("tools/call", name=tool, arguments=arguments)["result"]
        return result["content"][0]["text"] if result["isError"] \
            else result["structuredContent"]

    def learn(self):
        if self.revision != NEW:
            r = self.request("initialize", protocolVersion=self.revision,
                             capabilities={}, clientInfo={"name": "test", "version": "1"})
            assert r["result"]["protocolVersion"] == self.revision
            self.notify("notifications/initialized")
        tools = self.request("tools/list")["result"]["tools"]
        if jsonschema:
            for t in tools:
                jsonschema.Draft202012Validator.check_schema(t["inputSchema"])
                jsonschema.Draft202012Validator.check_schema(t["outputSchema"])
        self.outputs = {t["name"]: t["outputSchema"] for t in tools}
        return tools

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(10) == 0, "the server failed"


def find_leak(revision):
    """Find the leak by calls alone: nothing here knows the program."""
    s = Server(revision=revision)
    s.learn()
    heap = s.call("open", path=LEAKY)["heap"]
    worst = s.call("findings", heap=heap)["rows"][0]
    chain = s.call("why_alive", heap=heap, object=worst["address"])["rows"][0]
    s.end()
    return worst, chain


def test_leak():
    for revision in REVISIONS:
        worst, chain = find_leak(revision)
        assert chain["root"] == "static Sessions", chain
        assert worst["retained"] == 1176592, worst


def test_tools():
    """Every tool answers in each revision, as -b prints."""
    for revision in REVISIONS:
        s = Server(LEAKY, LATER, revision=revision)
        names = [t["name"] for t in s.learn()]
        calls = {"open": {"path": LEAKY}, "processes": {}, "close": {"heap": "heap-2"},
                 "summary": {"heap": "heap-1"}, "findings": {"heap": "heap-1"},
                 "types": {"heap": "heap-1", "filter": "Leaky", "sort": "-size"},
                 "why_alive": {"heap": "heap-1", "object": "Leaky.Session"},
                 "who_retains": {"heap": "heap-1", "object": "Leaky.Session"},
                 "contents": {"heap": "heap-1", "object": "Leaky.Session"},
                 "threads": {"heap": "heap-1"}, "stacks": {"heap": "heap-1"},
                 "diff": {"before": "heap-1", "after": "heap-2"},
                 "sql": {"heap": "heap-1", "query": "SELECT count(*) AS n FROM objects"},
                 "schema": {"heap": "heap-1", "table": "objects"}}
        assert sorted(names) == sorted(calls)
        page = open("man/heaptop-mcp.7").read()
        assert all("\n.B %s\n" % name in page for name in names)
        for name in sorted(names, key=lambda name: name == "close"):
            answer = s.call(name, **calls[name])
            if name == "close":
                assert answer == {"heap": "heap-2", "rows": []}, answer
                continue
            if name == "processes" and "no .NET process" in str(answer):
                continue
            if name in ("threads", "stacks"):  # a dump has none
                assert "this heap has no " + name in answer, answer
                continue
            assert answer["rows"], (name, answer)
            if name == "sql":  # of this heap, not of both
                assert answer["rows"] == [{"n": 31867}]
            if name == "diff":
                assert answer["rows"][0]["count_delta"] == 5000
        printed = json.loads(subprocess.check_output(
            [sys.argv[1], "-b", "types", "-n", "7", "--json", LEAKY]))["rows"]
        assert s.call("types", heap="heap-1", sort="retained", rows=1)["rows"][0]["type"] \
            == "Leaky.Session"  # the largest first
        first = s.call("types", heap="heap-1", rows=4)
        more = s.call("types", heap="heap-1", rows=3, cursor=first["next_cursor"])
        same = [c for c in printed[0] if c in first["rows"][0]]
        assert [[r[c] for c in same] for r in first["rows"] + more["rows"]] == \
            [[r[c] for c in same] for r in printed]
        s.end()


def test_refusals():
    """What is refused, and that the server goes on."""
    s = Server(LEAKY)
    s.learn()
    before = set(os.listdir("."))
    for tool, arguments, text in [
            ("open", {"path": "/etc/passwd"}, "neither"),
            ("open", {"path": "/dev/stdin"}, "not a file"),
            ("open", {"path": "-"}, "not a file"),
            ("open", {"pid": os.getpid()}, "--allow-capture"),
            ("open", {}, "path or pid"),
            ("types", {}, "wants heap"),
            ("types", {"heap": "heap-2"}, "call open"),
            ("types", {"heap": "x"}, "heap-1"),
            ("types", {"heap": 1}, "wants a text"),
            ("types", {"heap": "heap-1", "rows": 1001}, "1 to 1000"),
            ("types", {"heap": "heap-1", "cursor": "-1"}, "next_cursor"),
            ("types", {"heap": "heap-1", "nonsense": 1}, "it has heap filter"),
            ("types", {"heap": "heap-1", "sort": "nonsense"}, "does not sort"),
            ("types", {"heap": "heap-1", "filter": "size >"}, "filter: at character 7"),
            ("why_alive", {"heap": "heap-1", "object": "No.Such"}, "; types lists types"),
            ("why_alive", {"heap": "heap-1", "object": "7"}, "starts at 7; types lists"),
            ("why_alive", {"heap": "heap-1", "object": "Feed"}, "no type \"Feed\""),
            ("diff", {"before": "heap-1", "after": "heap-2", "by": "x"}, "type namespace"),
            ("why_alive", {"heap": "heap-1", "object": "x;w mcp-out"}, "no type"),
            ("why_alive", {"heap": "heap-1", "object": "x\n!touch mcp-out"}, "no type"),
            ("sql", {"heap": "heap-1", "query": "-"}, "statement"),
            ("sql", {"heap": "heap-1", "query": " /etc/x.sql ;"}, "statement"),
            ("sql", {"heap": "heap-1", "query": "DELETE FROM objects"}, "SQL"),
            ("sql", {"heap": "heap-1", "query": "ATTACH 'mcp-out' AS x"}, "SQL"),
            ("sql", {"heap": "heap-1", "query": "SELECT a FROM none"}, "schema"),
            ("diff", {"before": "heap-1", "after": "heap-1"}, "the same"),
            ("diff", {"before": "heap-1", "after": "heap-2"}, "call open"),
            ("schema", {"heap": "heap-1", "table": "x"}, "\"x\"; schema without table"),
            ("schema", {"heap": "heap-1", "table": "x;y"}, "no such table")]:
        answer = s.call(tool, **arguments)
        assert isinstance(answer, str) and text in answer, (tool, arguments, answer)
    assert set(os.listdir(".")) == before
    for line, code in [(b"nonsense", -32700), (b"[]", -32600), (b"{}", -32600),
                       (b"[" * 5000, -32700), (b'{"id":1,"id":1}', -32700),
                       (b"\xff\xfe", -32700), (b'"x\\u0000"', -32700),
                       (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":9,"method":"no"}', -32601),
                       (b'{"jsonrpc":"2.0","id":9,"method":"tools/call",'
                        b'"params":{"name":"no"}}', -32602),
                       (b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"_meta":'
                        b'{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}', -32022),
                       (b"x" * (1 << 21), -32600)]:
        s.write(line)
        answer = s.read()
        assert answer["error"]["code"] == code, (line[:80], answer)
    for line in b"", b'{"jsonrpc":"2.0","method":"notifications/nonsense"}':
        s.write(line)
    assert s.request("ping")["result"] == {}
    s.end()


def test_handles():
    """A handle is valid until its heap is closed, and never names another heap."""
    s = Server(LEAKY)
    s.learn()
    assert s.call("open", path=LEAKY)["heap"] == "heap-1"  # it is open already
    assert s.call("open", path=LATER)["heap"] == "heap-2"
    assert "neither" in s.call("open", path="Makefile")
    assert s.call("close", heap="heap-1")["heap"] == "heap-1"
    for tool in "types", "close":
        assert "heap-1 is closed" in s.call(tool, heap="heap-1")
    assert s.call("types", heap="heap-2", rows=1)["source"] == os.path.basename(LATER)
    assert s.call("open", path=LEAKY)["heap"] == "heap-3"
    assert s.call("diff", before="heap-3", after="heap-2")["rows"][0]["count_delta"] == 5000
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/0.gcdump"
        shutil.copy(LEAKY, path)
        assert s.call("open", path=path)["heap"] == "heap-4"
        assert s.call("open", path=folder + "/./0.gcdump")["heap"] == "heap-4"
        shutil.copy(LATER, path)  # the file has another heap now
        assert s.call("open", path=path)["heap"] == "heap-5"
        counts = [s.call("sql", heap=h, query="SELECT count(*) AS n FROM objects")["rows"]
                  for h in ("heap-4", "heap-5")]
        assert counts == [[{"n": 31867}], [{"n": 52776}]], counts
        for number in range(6, 18):  # 16 are open then
            shutil.copy("tests/data/tiny.gcdump", "%s/%d" % (folder, number))
            heap = s.call("open", path="%s/%d" % (folder, number))["heap"]
            assert heap == "heap-%d" % number
        answer = s.call("open", path="tests/data/tiny.gcdump")
        assert "call close for one of heap-3 heap-2 heap-4" in answer, answer
        s.call("close", heap="heap-9")
        assert s.call("open", path="tests/data/tiny.gcdump")["heap"] == "heap-18"
    s.end()
    status = subprocess.call([sys.argv[1], "--mcp"] + [LEAKY] * 17, stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    assert status == 2, status


# Compares texts of 1 MB for 12 s in each of these calls.
ENDLESS = ("SELECT count(*) FROM objects WHERE instr(zeroblob(1000000), "
           "zeroblob(500000 - size % 2) || x'01')")


def test_ends():
    """A client that goes away ends the server, whatever it does then."""
    s = Server(LEAKY)
    s.send("tools/call", name="findings", arguments={"heap": "heap-1"})
    s.process.stdin.close()  # half closed: the answer still comes
    assert s.read()["result"]["structuredContent"]["rows"]
    assert s.process.wait(10) == 0
    s = Server(LEAKY)
    s.send("tools/call", name="sql", arguments={"heap": "heap-1", "query": ENDLESS})
    s.process.stdin.close()  # nobody could cancel this call
    assert s.process.wait(30) == 0
    s = Server(LEAKY)
    s.send("tools/call", name="findings", arguments={"heap": "heap-1"})
    s.process.stdout.close()
    assert s.process.wait(10) == 0
    s.process.stdin.close()
    for option in "-b types", "-o x.heaptop", "--secure --allow-capture", "4711", "--csv":
        status = subprocess.call([sys.argv[1], "--mcp", *option.split()],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL)
        assert status == 2, (option, status)


def test_cancel(large):
    """Calls are answered in order; a running one ends within 50 ms if cancelled."""
    s = Server(large)
    s.learn()
    waits, seen = [], 0
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    for delay in 0.01, 0.03, 0.1, 0.3:
        running = s.send("tools/call", name="sql",
                         arguments={"heap": "heap-1", "query": endless},
                         _meta={"progressToken": "p"})
        waiting = s.send("tools/call", name="types", arguments={"heap": "heap-1"})
        ping = s.send("ping")
        time.sleep(delay)
        answers = [s.read()]
        while answers[-1].get("id") != ping:  # answered meanwhile
            answers.append(s.read())
        seen += sum("method" in a for a in answers)
        begin = time.monotonic()
        s.cancelled |= {running, waiting}
        s.notify("notifications/cancelled", requestId=waiting, reason="test")
        s.notify("notifications/cancelled", requestId=running)
        assert "1 to 1000" in s.call("processes", rows=0)
        waits.append(time.monotonic() - begin)
    steps, done = [], None
    wanted = s.send("tools/call", name="findings", arguments={"heap": "heap-1"},
                    _meta={"progressToken": 7})
    two = s.send("tools/call", name="types", arguments={"heap": "heap-1"})
    while not done or "method" in done:
        done = s.read()
        if "method" in done:
            steps.append(done["params"])
    assert done["id"] == wanted and done["result"]["structuredContent"]["rows"]
    assert s.read()["id"] == two
    assert all(p["progressToken"] == 7 for p in steps)
    assert [p["progress"] for p in steps] == list(range(1, len(steps) + 1))
    s.end()
    print("cancelled in %s ms, %d progress reports" %
          (", ".join("%.0f" % (1000 * w) for w in waits), seen + len(steps)))
    assert seen + len(steps), "no progress report"
    limit = float(os.environ.get("MCP_CANCEL_SECONDS", "5"))
    assert max(waits) < limit, waits


def test_capture(pid):
    s = Server("--allow-capture")
    s.learn()
    answer = s.call("open", pid=int(pid))
    assert isinstance(answer, dict) and "ms" in answer["cost"], answer
    print(answer["cost"])
    answer = s.call("types", heap=answer["heap"], rows=1)
    assert answer["rows"] and "cost" not in answer, answer  # no second capture
    s.end()
    s = Server("--allow-capture", "-m")  # memory has threads, too
    s.learn()
    heap = s.call("open", pid=int(pid))["heap"]
    states = [row["state"] for row in s.call("threads", heap=heap)["rows"]]
    assert "sleeps" in states, states
    calls = s.call("stacks", heap=heap, filter="own = yes", rows=100)["rows"]
    assert "Leaky.Program.Main(string[])" in [row["method"] for row in calls], calls
    s.end()


def open_in(pid):
    """Returns the sockets that the process has open, and whether it runs."""
    sockets = []
    for n in os.listdir("/proc/%d/fd" % pid):
        try:
            if os.readlink("/proc/%d/fd/%s" % (pid, n)).startswith("socket:"):
                sockets.append(n)
        except FileNotFoundError:
            pass  # closed meanwhile
    state = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
    return len(sockets), state not in "tT"


def test_gone(pid):
    """A client that goes away during a capture leaves nothing in the process."""
    pid = int(pid)
    before, ended = open_in(pid), 0
    for options in [], ["-m"]:
        for delay in 0, 0.01, 0.03, 0.1, 0.2:
            s = Server("--allow-capture", *options)
            s.learn()
            s.send("tools/call", name="open", arguments={"pid": pid})
            time.sleep(delay)
            ended += not select.select([s.process.stdout], [], [], 0)[0]
            s.process.stdin.close()
            s.process.stdout.close()
            assert s.process.wait(10) == 0
            end = time.monotonic() + 5
            while open_in(pid) != before and time.monotonic() < end:
                time.sleep(0.01)
            assert open_in(pid) == before, (options, delay, open_in(pid), before)
    assert ended, "no capture was running"
    s = Server("--allow-capture")
    s.learn()
    cancelled = s.send("tools/call", name="open", arguments={"pid": pid})
    s.notify("notifications/cancelled", requestId=cancelled)
    s.send("tools/call", name="open", arguments={"pid": pid})
    s.process.stdin.close()  # half closed: the capture goes on, and is answered
    answer = s.read()["result"]["structuredContent"]
    assert answer["heap"] == "heap-1" and "ms" in answer["cost"], answer
    assert s.process.wait(10) == 0


def main():
    passed = failed = 0
    for part in sys.argv[2:]:
        name, *arguments = part.split("=")
        try:
            globals()["test_" + name](*arguments)
            passed += 1
        except Exception as e:  # a failure of one part must not hide others
            failed += 1
            print("client.py: failed: %s: %r" % (name, e)[:2000])
    print("validated %d messages" % validated if jsonschema
          else "skipped: the Python module jsonschema is missing")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
