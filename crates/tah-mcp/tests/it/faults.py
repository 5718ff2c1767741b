"""A faulty MCP server over stdio: answers the handshake and does what its first argument says.

It stands for the servers of the field cases; each way is named after what the client sees.
"""

import json
import os
import signal
import subprocess
import sys
import time

way = sys.argv[1] if len(sys.argv) > 1 else "plain"


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def text(message, words):
    send({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": words}]}})


if way == "dies-at-start":
    print("Traceback: no module named sqlite", file=sys.stderr)
    sys.exit(3)
if way == "fails-once" and not os.path.exists(sys.argv[2]):
    open(sys.argv[2], "w").close()
    print("not yet", file=sys.stderr)
    sys.exit(4)
if way == "silent":
    time.sleep(600)
if way == "chatty-stderr":
    for _ in range(1024):
        sys.stderr.write("x" * 1023 + "\n")
    sys.stderr.write("the last line\n")
    sys.stderr.flush()
if way == "ignores-term":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if way == "banner":
    print("starting up…", flush=True)

try:
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            if way == "slow-start":
                time.sleep(float(sys.argv[2]))
            send({"jsonrpc": "2.0", "id": message["id"], "result": {
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "faults", "version": str(os.getpid())}}})
        elif method == "ping":
            send({"jsonrpc": "2.0", "id": message["id"], "result": {}})
        elif method == "tools/list":
            names = ["echo", "hang", "exit", "say.it"]
            if way == "many-tools":
                names = [f"tool{n}" for n in range(100)]
            send({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [
                *({"name": name, "description": f"{name} does what its name says " * 20, "inputSchema": {"type": "object"}}
                  for name in names),
                {"name": "array-input", "inputSchema": {"type": "array"}}]}})
        elif method == "tools/call":
            arguments = message["params"]["arguments"]
            if message["params"]["name"] == "environment":
                text(message, json.dumps(dict(os.environ)))
            elif message["params"]["name"] == "hang":
                pass
            elif message["params"]["name"] == "exit":
                if way == "grandchild":
                    # it inherits stdout and stderr and outlives its parent
                    subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
                print("out of memory", file=sys.stderr, flush=True)
                sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
                    "content": "last words"}}) if arguments.get("answer") else "")
                sys.stdout.flush()
                os._exit(7)
            elif message["params"]["name"] == "close":
                os.close(1)
                time.sleep(600)
            elif message["params"]["name"] == "big":
                text(message, "x" * arguments["chars"])
            else:
                text(message, str(arguments.get("text", "")) * int(arguments.get("repeat", 1)))
finally:
    if way == "ignores-term":
        time.sleep(600)
    if way == "says-goodbye":
        with open(sys.argv[2], "a") as file:
            file.write("stdin closed\n")
