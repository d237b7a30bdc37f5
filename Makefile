# Build and test tasks: `make run` to try Atrium, `make test` for all checks; the other targets are single steps.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

DEMO_DIR ?= .atrium-demo
LISTEN ?= 127.0.0.1:8080
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
# With cargo-auditable, the binary also contains the list of its crates.
AUDITABLE := $(shell cargo auditable --version >/dev/null 2>&1 && echo auditable)
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo "nextest run" || echo test)

.PHONY: help run dev test proof bench dist openapi conformance clients ui ui-deps fmt lint rust rust-build ui-test e2e journeys clean tools

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

run: ui ## Build everything and start the server with demo data
	cargo build --profile quick
	./target/quick/atrium serve --demo --data-dir $(DEMO_DIR) --listen $(LISTEN)

dev: ui-deps ## Run a server that rebuilds itself, and Vite in front of it with hot reload
	./scripts/dev

# Programs of Node set the pipe they print to to non-blocking. Make prints the whole output of a target at once and fails
# on such a pipe, so its standard output is opened again.
# Clippy's driver compiles and lints at the same time: `cargo clippy` would check every dependency again.
test: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/scripts/compile
test: export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings
# Everything runs, also after a failure, so that one look shows all that is red.
test: tools ui ## Run all checks of CI: format, lints, types, server, interface, browser, API document, clients
	@{ [ ! -p /dev/stdout ] || exec >> /dev/stdout; } 2> /dev/null || true; \
	failed=; \
	$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target fmt rust-build ui-test || failed="fmt, rust-build or ui-test"; \
	for part in rust journeys conformance-short clients; do \
	  $(MAKE) --no-print-directory $$part || failed="$${failed:+$$failed, }$$part"; \
	done; \
	[ -z "$$failed" ] || { echo "failed: $$failed" >&2; exit 1; }

proof: ui ## Long proofs: `make proof` lists them, `make proof PART=power` runs one and writes its line to docs/proof.md
	@[ -z "$(PART)" ] || cargo server
	@./scripts/proof $(PART)

tools: ## Install the tools that tests need besides Rust and Node
	./scripts/tools

fmt:
	@failed=; cargo fmt --check || failed=1; ./scripts/plain-words || failed=1; [ -z "$$failed" ]

lint:
	cargo clippy --all-targets --quiet -- -D warnings

rust-build: ui-deps
	cargo $(NEXTEST) --no-run

rust: ui-deps ## Run the server's tests: units, HTTP, cross-cutting rules, crashes, the session model, a real provider
	cargo $(NEXTEST) --no-fail-fast

ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	@touch $@

ui-deps: ui/node_modules/.package-lock.json

# The compiler tracks changes of embedded files, but not that the first ones appear: touch the module that embeds them.
ui: ui-deps ## Build the interface
	@[ -e ui/dist/index.html ] || touch src/http/ui.rs
	cd ui && npm run --silent build

ui-test: ui-deps ## Check the interface's types and style, and run its tests
	@cd ui; failed=; \
	npm run --silent gen && git diff --exit-code -- src/api/schema.gen.ts || failed=1; \
	npm run --silent typecheck || failed=1; \
	npm run --silent lint || failed=1; \
	npm test -- --reporter=dot || failed=1; \
	[ -z "$$failed" ]

e2e: ui ## Run end-to-end tests in Chromium, a short one also in Firefox and WebKit; FILES=e2e/chat.e2e.ts selects some
	@$(MAKE) --no-print-directory journeys

journeys: ui-deps
	cargo server
	cd ui && npm run --silent e2e -- $(FILES)

openapi: ## Write the API document, and the interface's types from it
	ATRIUM_UPDATE=1 cargo test --quiet --lib -- tests::document tests::permissions tests::socket
	cd ui && npm run --silent gen

conformance: ## Test the running server against its API document with generated requests
	./scripts/conformance 300

conformance-short:
	./scripts/conformance 10

clients: ui-deps ## Generate clients from the API document with third-party generators, and call everything with them
	@failed=; for part in typescript python; do ./scripts/clients $$part || failed=1; done; [ -z "$$failed" ]

bench: ui ## Run the benchmark of Atrium and PocketBase; writes docs/performance.md
	cargo build --release --quiet
	./scripts/bench

# The flags do not apply to build scripts, because the target is named. Random numbers come from the system call: the usual
# way needs a C library that is loaded, or /dev. Paths of this machine are not in the binary.
dist: export RUSTFLAGS := -C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom" --remap-path-prefix=$(CURDIR)=/atrium --remap-path-prefix=$(HOME)/.cargo=/cargo
dist: ui ## Build what is released: the static binary, the Debian package, the image, components and checksums, in dist
	cargo $(AUDITABLE) build --release --target $(HOST)
	@./scripts/package target/$(HOST)/release/atrium

clean: ## Remove all build output
	rm -rf target dist ui/dist ui/node_modules $(DEMO_DIR)
