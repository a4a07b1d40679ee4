"""Unpacks a tar archive into an empty folder: python3 unpack.py ARCHIVE FOLDER"""
import sys
import tarfile

archive, folder = sys.argv[1:]
with tarfile.open(archive) as tar:
    tar.extractall(folder)
