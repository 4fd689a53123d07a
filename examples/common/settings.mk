# What the Makefiles of the experiments share; each includes it first and says which tables it makes.
#   make [TABLE...]                      SCALE=small, the default: bundled and drawn data, about a minute
#   make SCALE=paper DATA="FILE..."      the paper's sizes and times, on data of yours; any setting can be given beside
# Results go to examples/out/TOPIC/SCALE. Finished runs are kept, so data, methods and seeds can be added; `make clean`
# before other settings change.
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDEXPANSION:
# Keeps all files on the way; tables are always made anew, since make does not miss a secondary file by itself.
.SECONDARY:
.PHONY: all always clean

SCALE    := small
EXAMPLES := ..
BUNDLED  := $(EXAMPLES)/../bnsl/bundled
OUT      := $(EXAMPLES)/out/$(notdir $(CURDIR))/$(SCALE)

ifeq ($(filter $(SCALE),small paper),)
$(error SCALE is small or paper, not $(SCALE))
endif

$(OUT):
	mkdir -p $@

clean:
	rm -rf $(OUT)

# $(eval $(call show_tables,TABLE...)): `make TABLE` makes OUT/TABLE.txt and shows it, `make` does so for all.
define show_tables
.PHONY: $1
all: $1
$1: %: $$(OUT)/%.txt
	@cat $$<
endef

# $(call names_of,FILE...): names without folders, points and endings; FILE.NAME is the file of a name.
name_of  = $(subst .,-,$(patsubst %.bif,%,$(patsubst %.csv,%,$(patsubst %.parquet,%,$(patsubst %.gz,%,$(notdir $1))))))
names_of = $(foreach f,$1,$(eval FILE.$(call name_of,$f) := $f)$(call name_of,$f))

# $(call part,K): in a recipe or a prerequisite the K-th part of a run's name, such as wdbc.asobs.1
part = $(word $1,$(subst ., ,$*))

# $(call read_of,NAME): how a table is read. The numbers that drawn networks and halves have for states are not
# to be cut.
read_of = $(if $(filter random% drawn% tree.% halves-%,$1),,$(READ))

# Tables of many runs, with tests, need scipy: pip install scipy
COMPARE := python3 $(EXAMPLES)/common/compare.py

# Pictures need matplotlib: pip install matplotlib
PLOT := python3 $(EXAMPLES)/common/plot.py

# NAME+K is the K-th third of the rows of NAME's file (K = 0, 1, 2), which is divided at random.
THIRDS_SEED := 1
$(OUT)/%.third.csv: $$(FILE.$$(firstword $$(subst +, ,$$*))) | $(OUT)
	python3 $(EXAMPLES)/common/third.py $< $(lastword $(subst +, ,$*)) $(THIRDS_SEED) > $@
thirds_of = $(foreach n,$1,$n+0 $n+1 $n+2)
# $(call rows_of,NAME): the file of a name, or that of a third
rows_of = $(if $(findstring +,$1),$(OUT)/$1.third.csv,$(FILE.$1))

# $(call check,DATA,ROW,COLUMN[,OPTIONS]) "COMMANDS": compute a cell of results.md anew and compare. `make check` does so for some
# cells that take seconds; data that are not bundled lie in TABLES, folders or folders below them, or the cell is skipped.
TABLES :=
.PHONY: check
check = @python3 $(EXAMPLES)/common/check.py $4 --tables $(TABLES) -- '$1' '$2' '$3'
comma := ,
