# SPDX-License-Identifier: Apache-2.0
#
# make setup demo     everything a fresh Debian machine needs, then a real trace scheduled
# make setup check    the same, then the tests
# make help           the rest

ifeq ($(origin CC),default)
CC = gcc
endif
AR = ar
PYTHON = python3
WITH_GLPK = 1
WITH_CBC = 0
WERROR = 0
SANITIZE =
OPT = -O2

prefix = /usr/local
PREFIX = $(prefix)
exec_prefix = $(PREFIX)
bindir = $(exec_prefix)/bin
libdir = $(exec_prefix)/lib
includedir = $(PREFIX)/include
datadir = $(PREFIX)/share
mandir = $(datadir)/man
pkgconfigdir = $(libdir)/pkgconfig
cmakedir = $(libdir)/cmake/libflux
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
INSTALL = install

version_of = $(shell sed -n 's/^\#define FLUX_VERSION_$(1) \([0-9]*\)$$/\1/p' include/libflux/version.h)
MAJOR := $(call version_of,MAJOR)
MINOR := $(call version_of,MINOR)
PATCH := $(call version_of,PATCH)
VERSION := $(MAJOR).$(MINOR).$(PATCH)
SOVERSION := $(MAJOR)

# Objects of other flags never mix: each set of flags has its own folder, unless O says where.
comma := ,
flavour := $(CC)$(if $(filter 0,$(WITH_GLPK)),-noglpk)$(if $(filter 1,$(WITH_CBC)),-cbc)$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))$(if $(filter 1,$(WERROR)),-werror)
O = build/$(subst $(comma),-,$(flavour))

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
  -Wold-style-definition -Wvla -Wundef -Wcast-qual -Wwrite-strings -Wformat=2 -Wpointer-arith
CFLAGS = $(OPT) -g
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) $(if $(filter 1,$(WERROR)),-Werror) -fvisibility=hidden \
  -fPIC -pthread -fstack-protector-strong $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
  -Iinclude -Ilibflux -I$(O)/generated $(if $(filter 1,$(WITH_GLPK)),-DFLUX_WITH_GLPK) $(if $(filter 1,$(WITH_CBC)),-DFLUX_WITH_CBC) \
  $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
SHARED_LDFLAGS = -Wl,-z,relro,-z,now$(if $(SANITIZE),,$(comma)-z$(comma)defs) -Wl,--no-undefined-version

CORE_LIBS = $(if $(filter 1,$(WITH_GLPK)),-lglpk) $(if $(filter 1,$(WITH_CBC)),-lCbcSolver -lCbc -lCgl -lOsiClp -lClp -lOsi -lCoinUtils -lstdc++) -lm
IO_LIBS = -lyaml -lz -ljansson -lprotobuf-nanopb -lexpat

core_rooms = base model bound schedule search symmetry prove formulation backend solve demand simulate compare replan
core_c := $(sort $(foreach room,$(core_rooms),$(wildcard libflux/$(room)/*.c)))
ifneq ($(WITH_GLPK),1)
core_c := $(filter-out libflux/backend/glpk%.c,$(core_c))
endif
ifneq ($(WITH_CBC),1)
core_c := $(filter-out libflux/backend/cbc%.c,$(core_c))
endif
io_c := $(sort $(wildcard libflux/io/*.c libflux/io/*/*.c))
cli_c := $(sort $(wildcard bindings/cli/*.c))
support_c := $(sort $(wildcard tests/support/*.c))
test_c := $(sort $(wildcard tests/unit/test_*.c tests/golden/test_*.c tests/property/test_*.c tests/backend/test_*.c tests/oom/test_*.c tests/abi/test_*.c tests/fuzz/test_*.c))
test_scripts := $(sort $(filter-out %/save.sh,$(wildcard tests/unit/*.sh tests/golden/*.sh tests/property/*.sh tests/abi/*.sh tests/install/*.sh tests/cli/*.sh tests/docs/*.py)))
bench_c := $(sort $(wildcard tests/bench/bench_*.c))
example_c := $(sort $(wildcard docs/examples/*.c))

objects = $(patsubst %.c,$(O)/obj/%.o,$(1))
core_o := $(call objects,$(core_c))
io_o := $(call objects,$(io_c))
tests := $(patsubst tests/%.c,$(O)/tests/%,$(test_c))
benches := $(patsubst tests/%.c,$(O)/tests/%,$(bench_c))
examples := $(patsubst docs/examples/%.c,$(O)/examples/%,$(example_c))

STATIC = $(O)/libflux.a
STATIC_IO = $(O)/libflux-io.a
SHARED = $(O)/libflux.so.$(VERSION)
SHARED_IO = $(O)/libflux-io.so.$(VERSION)
CLI = $(O)/flux-ocs

# V=1 shows the whole commands.
Q = $(if $(V),,@)
say = @$(if $(V),:,echo ' ')

.PHONY: all static shared cli examples tests check check-quick check-one check-simgrid bench bench-backends bench-demand regimes regimes-short wheel abi-save demo setup clean install uninstall help format lint
all: static shared cli examples

static: $(STATIC) $(STATIC_IO)
shared: $(SHARED) $(SHARED_IO)
cli: $(CLI)
examples: $(examples)
tests: $(tests)

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The table of models is compiled in, byte by byte.
$(O)/generated/models.inc: libflux/io/generate/models.yaml
	@mkdir -p $(@D)
	$(Q)od -An -v -tu1 $< | sed 's/ *\([0-9]\{1,\}\)/\1,/g' > $@
$(O)/obj/libflux/io/generate/table_text.o: $(O)/generated/models.inc

$(STATIC): $(core_o)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(STATIC_IO): $(io_o)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(SHARED): $(core_o) libflux/libflux.map
	$(say) LD $@
	$(Q)$(CC) -shared $(ALL_LDFLAGS) $(SHARED_LDFLAGS) -Wl,-soname,libflux.so.$(SOVERSION) \
	  -Wl,--version-script=libflux/libflux.map $(core_o) $(CORE_LIBS) -o $@
	$(Q)ln -sf $(@F) $(O)/libflux.so.$(SOVERSION) && ln -sf $(@F) $(O)/libflux.so
$(SHARED_IO): $(io_o) $(SHARED) libflux/libflux-io.map
	$(say) LD $@
	$(Q)$(CC) -shared $(ALL_LDFLAGS) $(SHARED_LDFLAGS) -Wl,-soname,libflux-io.so.$(SOVERSION) \
	  -Wl,--version-script=libflux/libflux-io.map $(io_o) -L$(O) -lflux $(IO_LIBS) -o $@
	$(Q)ln -sf $(@F) $(O)/libflux-io.so.$(SOVERSION) && ln -sf $(@F) $(O)/libflux-io.so

$(CLI): $(call objects,$(cli_c)) $(STATIC_IO) $(STATIC)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(IO_LIBS) $(CORE_LIBS) -lm -o $@

$(O)/examples/%: docs/examples/%.c $(STATIC_IO) $(STATIC)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) $< $(STATIC_IO) $(STATIC) $(IO_LIBS) $(CORE_LIBS) -lm -o $@

support_o := $(call objects,$(support_c))
fuzz_o := $(call objects,$(filter-out tests/fuzz/main.c,$(filter-out tests/fuzz/test_%,$(wildcard tests/fuzz/*.c))))
$(O)/tests/fuzz/test_seeds: $(fuzz_o)
$(tests): $(O)/tests/%: $(O)/obj/tests/%.o $(support_o) $(STATIC_IO) $(STATIC)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o,$^) $(STATIC_IO) $(STATIC) $(IO_LIBS) $(CORE_LIBS) -lcmocka -lm -o $@
$(benches): $(O)/tests/%: $(O)/obj/tests/%.o $(support_o) $(STATIC_IO) $(STATIC)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o,$^) $(STATIC_IO) $(STATIC) $(IO_LIBS) $(CORE_LIBS) -lcmocka -lm -o $@

# One flavour's tests, counted; `check` runs several flavours and adds up.
check-one: $(tests) $(CLI) $(examples) shared
	@echo CC=$(CC) WERROR=$(WERROR) WITH_GLPK=$(WITH_GLPK) WITH_CBC=$(WITH_CBC) > $(O)/flags
	$(PYTHON) tests/run.py --build $(O) $(if $(SUM),--sum $(SUM)) $(tests) $(if $(filter 1,$(NO_SCRIPTS)),,$(test_scripts))

# What a developer runs between edits.
check-quick: check-one

# What a package builder runs: each concern once, and the command.
.PHONY: check-brief
check-brief: $(filter $(O)/tests/unit/%,$(tests)) $(CLI)
	$(PYTHON) tests/run.py --build $(O) $(filter $(O)/tests/unit/%,$(tests)) $(wildcard tests/cli/usage.sh tests/cli/check.sh tests/cli/json.sh)

SUMS = build/check.sum
check:
	rm -f $(SUMS) $(SUMS).failed && mkdir -p build
	+@for flavour in \
	    'CC=gcc WERROR=1' \
	    'CC=gcc SANITIZE=address,undefined OPT=-O1 NO_SCRIPTS=1' \
	    'CC=clang WERROR=1 WITH_GLPK=0 NO_SCRIPTS=1'; do \
	  echo "== make check-one $$flavour"; \
	  $(MAKE) --no-print-directory -j2 check-one SUM=$(SUMS) $$flavour || echo "0 1 $$flavour" >> $(SUMS); \
	done; \
	$(PYTHON) tests/run.py --total $(SUMS)

# Schedules of real traces on SimGrid, which has nothing of ours; needs libsimgrid-dev.
SIMGRID = $(O)/tests/simgrid/replay
$(SIMGRID): tests/simgrid/replay.cpp
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra $< -lsimgrid -ljansson -o $@
$(O)/examples/simgrid: docs/examples/simgrid.cpp $(STATIC_IO) $(STATIC)
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra -Iinclude $< $(STATIC_IO) $(STATIC) -lsimgrid $(IO_LIBS) $(CORE_LIBS) -lm -o $@
check-simgrid: $(SIMGRID) $(O)/examples/simgrid $(CLI)
	$(PYTHON) tests/run.py --build $(O) tests/simgrid/check.sh

# Every reader and the interface under libFuzzer (clang with compiler-rt), one after the other: docs/fuzzing.md. TARGETS="goal msccl" are fewer.
FUZZ = build/fuzz
SECONDS = 60
.PHONY: fuzz fuzz-build
fuzz-build:
	$(Q)$(MAKE) --no-print-directory CC=clang O=$(FUZZ) OPT=-O1 SANITIZE=address,undefined \
	  CPPFLAGS='$(CPPFLAGS) -fsanitize=fuzzer-no-link' $(FUZZ)/fuzz
ifeq ($(O),$(FUZZ))
$(FUZZ)/fuzz: $(call objects,tests/fuzz/main.c) $(fuzz_o) $(STATIC_IO) $(STATIC)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(IO_LIBS) $(CORE_LIBS) -lm -o $@
endif
# Files that are made to be costly, of every format.
.PHONY: check-costly
check-costly: $(CLI)
	$(PYTHON) -B tests/fuzz/costly.py $(CLI)

fuzz: fuzz-build
	SECONDS=$(SECONDS) sh tests/fuzz/run.sh $(FUZZ) $(TARGETS)

bench: $(benches) $(CLI)
	$(PYTHON) tests/bench/run.py --build $(O)

# The schedulers of one traffic matrix side by side; some ten minutes.
bench-demand: $(O)/tests/bench/bench_demand
	$(PYTHON) tests/bench/demand.py --build $(O)

# Formulations and solvers side by side; up to an hour, as what does not end gets a minute. LIMIT=10 is quicker.
bench-backends: $(CLI)
	$(PYTHON) tests/bench/backends.py --build $(O) $(if $(LIMIT),--limit $(LIMIT))

# Some seventy problems on libflux, and beside it CP-SAT, HiGHS and random orders; an hour. TIME=10 gives each solver ten
# seconds instead of sixty, MINUTES=20 ends sooner.
regimes: $(CLI) shared $(O)/tests/bench/bench_schedule
	$(PYTHON) tests/bench/regimes/run.py --build $(O) $(if $(TIME),--limit $(TIME)) $(if $(MINUTES),--minutes $(MINUTES))
regimes-short: $(CLI) shared
	BUILD=$(O) sh tests/property/regimes.sh

# Python's package with the libraries in it. They look for what they need beside themselves.
WHEEL_GLPK = 0
wheel:
	$(Q)$(MAKE) --no-print-directory O=build/wheel WITH_GLPK=$(WHEEL_GLPK) \
	  'LDFLAGS=-Wl,--disable-new-dtags -Wl,-rpath,\$$$$ORIGIN' shared
	$(PYTHON) bindings/python/make_wheel.py --build build/wheel --out build/wheel/dist

# Manual pages, from the headers and from what the command says of itself; completions, from its tables.
man_sources := $(wildcard docs/man/*.[135] docs/man/*.py docs/man/examples/*.c include/libflux/*.h include/libflux/io/*.h)
man3 := libflux.3 $(patsubst %.h,libflux_%.3,$(filter-out flux.h export.h,$(notdir $(wildcard include/libflux/*.h include/libflux/io/*.h))))
.PHONY: man completions
man: $(O)/man/made
$(O)/man/made: $(CLI) $(man_sources)
	$(say) MAN $(@D)
	$(Q)rm -rf $(@D) && $(PYTHON) -B docs/man/header_pages.py $(@D) && \
	  $(PYTHON) -B docs/man/command_page.py $(CLI) $(@D) && touch $@
completions: $(O)/completions/flux-ocs $(O)/completions/_flux-ocs
$(O)/completions/flux-ocs: $(CLI)
	@mkdir -p $(@D)
	$(Q)$(CLI) --completion bash > $@
$(O)/completions/_flux-ocs: $(CLI)
	@mkdir -p $(@D)
	$(Q)$(CLI) --completion zsh > $@

# The documents as HTML, with the manual: build/docs/html/index.html. Nothing is loaded from the network.
DOCS = build/docs
.PHONY: docs setup-docs
setup-docs:
	sh tests/setup.sh python3-sphinx python3-myst-parser furo mandoc
docs: $(O)/man/made
	@command -v sphinx-build >/dev/null && command -v mandoc >/dev/null || { echo 'docs: make setup-docs installs what is missing'; exit 1; }
	$(Q)$(PYTHON) -B docs/html/stage.py $(O)/man $(DOCS)/source
	$(Q)FLUX_VERSION=$(VERSION) sphinx-build -q -W --keep-going -b html -d $(DOCS)/doctrees $(DOCS)/source $(DOCS)/html
	$(Q)$(PYTHON) -B docs/html/check_links.py $(DOCS)/html

demo: $(CLI)
	sh tests/demo.sh $(CLI)

# The paper's Figure 2 on public traces, with more schedulers: CSV, tables and pictures in build/figure2.
figure2: $(CLI)
	sh tests/figure2.sh $(CLI)

setup:
	sh tests/setup.sh

# What the tests compare the binary interface with: docs/abi.md.
abi-save: shared
	BUILD=$(O) sh tests/abi/save.sh

# Everything lands below DESTDIR; uninstall takes away what install put there and the folders that are empty then.
headers := $(wildcard include/libflux/*.h bindings/cpp/*.hpp)
io_headers := $(wildcard include/libflux/io/*.h)
installed = $(addprefix $(includedir)/libflux/,$(notdir $(headers))) \
  $(addprefix $(includedir)/libflux/io/,$(notdir $(io_headers))) \
  $(foreach lib,libflux libflux-io,$(addprefix $(libdir)/,$(lib).a $(lib).so $(lib).so.$(SOVERSION) $(lib).so.$(VERSION))) \
  $(pkgconfigdir)/libflux.pc $(pkgconfigdir)/libflux-io.pc $(bindir)/flux-ocs \
  $(cmakedir)/libfluxConfig.cmake $(cmakedir)/libfluxConfigVersion.cmake \
  $(mandir)/man1/flux-ocs.1 $(addprefix $(mandir)/man3/,$(man3)) $(mandir)/man5/libflux.5 \
  $(bashcompdir)/flux-ocs $(zshcompdir)/_flux-ocs $(datadir)/libflux/models.yaml
install_folders = $(includedir)/libflux/io $(libdir) $(pkgconfigdir) $(cmakedir) $(bindir) \
  $(addprefix $(mandir)/,man1 man3 man5) $(bashcompdir) $(zshcompdir) $(datadir)/libflux
pc = sed -e 's|@prefix@|$(PREFIX)|' -e 's|@exec_prefix@|$(exec_prefix)|' -e 's|@libdir@|$(libdir)|' \
  -e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' -e 's|@core_libs@|$(strip $(CORE_LIBS))|' \
  -e 's|@io_libs@|$(IO_LIBS)|' -e 's|@major@|$(MAJOR)|' -e 's|@minor@|$(MINOR)|' \
  -e "s|@include_from_lib@|$$(realpath -m --relative-to=$(libdir) $(includedir))|"

install: static shared cli man completions
	$(INSTALL) -d $(addprefix $(DESTDIR),$(install_folders))
	$(INSTALL) -m 644 $(headers) $(DESTDIR)$(includedir)/libflux
	$(INSTALL) -m 644 $(io_headers) $(DESTDIR)$(includedir)/libflux/io
	$(INSTALL) -m 644 $(STATIC) $(STATIC_IO) $(DESTDIR)$(libdir)
	$(INSTALL) -m 755 $(SHARED) $(SHARED_IO) $(DESTDIR)$(libdir)
	for lib in libflux libflux-io; do \
	  ln -sf $$lib.so.$(VERSION) $(DESTDIR)$(libdir)/$$lib.so.$(SOVERSION) && \
	  ln -sf $$lib.so.$(SOVERSION) $(DESTDIR)$(libdir)/$$lib.so && \
	  $(pc) pkgconfig/$$lib.pc.in > $(DESTDIR)$(pkgconfigdir)/$$lib.pc || exit 1; \
	done
	for file in libfluxConfig.cmake libfluxConfigVersion.cmake; do \
	  $(pc) pkgconfig/$$file.in > $(DESTDIR)$(cmakedir)/$$file || exit 1; \
	done
	$(INSTALL) -m 644 libflux/io/generate/models.yaml $(DESTDIR)$(datadir)/libflux
	$(INSTALL) -m 755 $(CLI) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 $(O)/man/flux-ocs.1 $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 $(addprefix $(O)/man/,$(man3)) $(DESTDIR)$(mandir)/man3
	$(INSTALL) -m 644 $(O)/man/libflux.5 $(DESTDIR)$(mandir)/man5
	$(INSTALL) -m 644 $(O)/completions/flux-ocs $(DESTDIR)$(bashcompdir)
	$(INSTALL) -m 644 $(O)/completions/_flux-ocs $(DESTDIR)$(zshcompdir)

uninstall:
	rm -f $(addprefix $(DESTDIR),$(installed))
	-for folder in $(addprefix $(DESTDIR),$(install_folders)); do \
	  rmdir -p --ignore-fail-on-non-empty $$folder 2>/dev/null; done; true

# Tarball and Debian packages of what is committed.
.PHONY: dist distcheck deb check-deb
DIST = build/libflux-$(VERSION).tar.gz
dist:
	@mkdir -p $(dir $(DIST))
	git archive --format=tar --prefix=libflux-$(VERSION)/ HEAD -- . ':!debian' | gzip -9n > $(DIST)
	@echo $(DIST)
distcheck: dist
	MAKE='$(MAKE)' sh tests/dist.sh $(DIST)
deb: dist
	rm -rf build/deb && mkdir -p build/deb
	cp $(DIST) build/deb/libflux-ocs_$(VERSION).orig.tar.gz
	tar -xzf $(DIST) -C build/deb
	git archive --format=tar HEAD debian | tar -xf - -C build/deb/libflux-$(VERSION)
	cd build/deb/libflux-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage -us -uc
	@ls build/deb/*.deb
check-deb: deb
	sh tests/deb.sh build/deb

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.hpp' | grep -v '^tests/data/')

clean:
	rm -rf build

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile
	@echo 'make all check-one check-simgrid bench regimes docs wheel abi-save install uninstall clean format   CC= WITH_GLPK=0|1 WITH_CBC=0|1 SANITIZE= O= prefix= DESTDIR='

print-%:
	@echo '$($*)'

-include $(shell find $(O) -name '*.d' 2>/dev/null)
