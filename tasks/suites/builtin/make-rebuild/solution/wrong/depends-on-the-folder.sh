# The folder's own time changes with each file written into it, so pages are rendered again for nothing.
cat > Makefile <<'END'
pages := $(wildcard pages/*.txt)

all: $(pages:pages/%=out/%)

out/%: pages/% layout.txt render.sh out
	sh render.sh layout.txt $< > $@

out:
	mkdir -p out
END
