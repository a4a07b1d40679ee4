# The dependencies are right, a new page is not seen.
cat > Makefile <<'END'
all: out/home.txt out/about.txt

out/%.txt: pages/%.txt layout.txt render.sh
	mkdir -p out
	sh render.sh layout.txt $< > $@
END
