cat > Makefile <<'END'
pages := $(wildcard pages/*.txt)

all: $(pages:pages/%=out/%)

out/%: pages/% layout.txt render.sh | out
	sh render.sh layout.txt $< > $@

out:
	mkdir -p out

.PHONY: all
END
