# Right pages, but everything is written every time.
cat > Makefile <<'END'
all:
	mkdir -p out
	for page in pages/*.txt; do sh render.sh layout.txt $$page > out/$${page#pages/}; done

.PHONY: all
END
