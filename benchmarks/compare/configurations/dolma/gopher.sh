dolma tag --documents "$INPUT/*" --experiment gopher --taggers gopher_v2 --processes 2
dolma -c gopher.yaml mix --processes 2
