#!/bin/sh
# Lints the document with two programs of others from npm. They are installed into a folder
# that is removed again; node 20 and the npm registry are needed. Not part of go test.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
OPENAPI_OUT="$tmp/openapi.json" go test -count=1 -run '^TestWriteDocument$' .
cp redocly.yaml "$tmp/"
cd "$tmp"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent @redocly/cli@2.77.0 @seriousme/openapi-schema-validator@2.11.0
echo "--- redocly"
REDOCLY_TELEMETRY=off npx redocly lint --config redocly.yaml openapi.json
echo "--- openapi-schema-validator"
npx validate-api openapi.json
