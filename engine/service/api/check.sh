#!/bin/sh
# Runs programs of others from npm against `bugle serve`, by its own /openapi.json:
#
#   Redocly's Respect  a contract tester: contract.arazzo.yaml, with the document's examples
#   Prism              a proxy that judges every answer to the next two by the document: its status,
#                      headers and body
#   json-schema-faker  a property test: bodies made of the document's schemas, some with a value
#     and fast-check   changed by chance, which document and service must judge alike
#   @hey-api/openapi-ts and Zod  a generated client, with types and with schemas at run time, through
#                      the ten operations and what they refuse
#
# Go, node 20 and the npm registry are needed. Everything is installed and stored in a folder that
# is removed again. Not part of go test. RUNS sets the number of generated bodies for each operation,
# SEED repeats those of an earlier run.
#
# Prism lets every request pass: near-valid ones are for the service to refuse. A status counts as
# documented where it stands among the operation's answers; "default" does not cover it. What a schema
# cannot say (`x-rules` in the document) the service may refuse in a body that the document takes.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
pids=
stop() {
	for pid in $pids; do kill "$pid" 2>/dev/null || true; done
	wait
	rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# field prints a text of a JSON object on standard input.
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8'))['$1']"; }

# await runs a command until it succeeds, for ten seconds at most.
await() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ "$tries" -gt 100 ]; then
			echo "gave up waiting: $*" >&2
			cat "$tmp"/*.log >&2
			exit 1
		fi
		sleep 0.1
	done
}

# get succeeds where a URL is answered.
get() { node -e "fetch('$1').then((r) => process.exit(r.status < 500 ? 0 : 1), () => process.exit(1))"; }

go build -o "$tmp/bugle" ../../../cmd/bugle
cp check/* "$tmp/"
cd "$tmp"
export npm_config_update_notifier=false
npm ci --ignore-scripts --no-audit --no-fund --silent

# The programs see a home and a store of their own.
mkdir home
export HOME="$tmp/home" BUGLE="$tmp/bugle" BUGLE_DATA="$tmp/data" WORKSPACE_ID=DEMO
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME BUGLE_WORKSPACE
API_KEY=$("$BUGLE" init --sample --id "$WORKSPACE_ID" --json | field api_key)
PUBLISH_KEY=$("$BUGLE" keys create scopes=campaigns:create_manage_publish --json | field api_key)
export API_KEY PUBLISH_KEY

# serve NAME FLAGS starts a server, whose base URL is then in $url.
serve() {
	name=$1
	shift
	"$BUGLE" serve --addr 127.0.0.1:0 --json "$@" >"$name.json" 2>"$name.log" &
	pids="$pids $!"
	await test -s "$name.json"
	url=$(field url <"$name.json")
	await get "$url/healthz"
}

serve limited
export LIMITED_URL="$url"
serve service --rate-limits off
service=$url
node -e "fetch('$service/openapi.json').then((r) => r.text()).then((s) => process.stdout.write(s))" >openapi.json

echo "--- respect"
REDOCLY_TELEMETRY=off npx redocly respect contract.arazzo.yaml --server service="$service" \
	--input workspace_id="$WORKSPACE_ID" --input api_key="$API_KEY"

port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })")
node node_modules/@stoplight/prism-cli/dist/index.js proxy --errors --validate-request=false -v warn \
	-h 127.0.0.1 -p "$port" openapi.json "$service" >prism.log 2>&1 &
pids="$pids $!"
export BASE_URL="http://127.0.0.1:$port"
await get "$BASE_URL/v5/campaigns/0123456789abcdef01234567"

echo "--- generated client"
npx openapi-ts -f openapi-ts.config.mjs
npx tsc -p .
node --import tsx --test --test-reporter spec client.test.ts

echo "--- property test"
DOCUMENT=openapi.json node property.mjs
