#!/bin/sh
# other-build.sh BUILD FOLDER PACKAGE FLAG: makes FOLDER look like a build whose mp-run compiles as that of BUILD does with one more
# flag, and whose Python package is in the folder PACKAGE.
mkdir -p "$2/bin"
ln -s "$3" "$2/python"
cat > "$2/bin/mp-run" <<END
#!/bin/sh
[ "\$1" != compile ] || set -- "\$@" $4
exec $1/bin/mp-run "\$@"
END
chmod +x "$2/bin/mp-run"
