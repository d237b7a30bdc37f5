# Atrium. `make run` to try it, `make test` for everything; the rest makes single steps quick.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

DEMO_DIR ?= .atrium-demo
LISTEN ?= 127.0.0.1:8080
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo "nextest run" || echo test)

.PHONY: help run dev test proof bench dist openapi conformance clients ui ui-deps fmt lint rust rust-build ui-test e2e clean tools

help: ## What there is to make
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

run: ui ## Build everything and start it on demo data
	cargo build --profile quick
	./target/quick/atrium serve --demo --data-dir $(DEMO_DIR) --listen $(LISTEN)

dev: ui-deps ## A server that rebuilds, and Vite in front of it with hot reload
	./scripts/dev

# Everything is compiled by clippy's driver, which lints on the way: `cargo clippy` would check every dependency once more.
test: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
test: export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings
test: tools fmt ui ## Everything that CI runs: format, lints, types, server, interface, browser, document, clients
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target rust-build ui-test
	@$(MAKE) --no-print-directory rust e2e conformance-short clients

proof: ui ## The long proofs: `make proof` lists them, `make proof PART=power` runs one and writes its line to docs/proof.md
	@[ -z "$(PART)" ] || cargo build --quiet
	@./scripts/proof $(PART)

tools: ## Installs what the tests need besides Rust and Node
	./scripts/tools

fmt:
	cargo fmt --check

lint:
	cargo clippy --all-targets --quiet -- -D warnings

rust-build: ui-deps
	cargo $(NEXTEST) --no-run

rust: ui-deps ## The server's tests: unit, over HTTP, the laws, crashes, the sessions against their model, a real provider
	cargo $(NEXTEST)

ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	@touch $@

ui-deps: ui/node_modules/.package-lock.json

# The compiler follows the files that it has embedded; that there are any at all it must be told.
ui: ui-deps ## The interface, built and packed
	@[ -e ui/dist/index.html ] || touch src/http/ui.rs
	cd ui && npm run --silent build

ui-test: ui-deps ## The interface's types, style and tests
	cd ui && npm run --silent gen && git diff --exit-code -- src/api/schema.gen.ts
	cd ui && npm run --silent typecheck && npm run --silent lint && npm test

e2e: ui ## Journeys in a real Chromium against the real server, a short one in Firefox and WebKit too; FILES=e2e/chat.e2e.ts runs some
	cargo build --quiet
	cd ui && npm run --silent e2e -- $(FILES)

openapi: ## Write the API document and the types the interface takes from it
	ATRIUM_UPDATE=1 cargo test --quiet --lib tests::document
	cd ui && npm run --silent gen

conformance: ## Hold the running server to its document with generated requests
	./scripts/conformance 300

conformance-short:
	./scripts/conformance 10

clients: ui-deps ## Make clients of the API document with generators that others use, and call everything with them
	./scripts/clients typescript python

bench: ui ## Measure, side by side with PocketBase; writes docs/performance.md
	cargo build --release --quiet
	./scripts/bench

dist: ui ## The binary to ship: small and fully optimised
	cargo build --release
	@ls -lh target/release/atrium

clean: ## Take away what was built
	rm -rf target ui/dist ui/node_modules $(DEMO_DIR)
