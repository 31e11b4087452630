"""Reads git repositories; the only importer of pygit2.

    repo          opens a repository: refs, files, identity
    gitdir        finds the git directory, and refuses files that hang or exhaust
    other_folder  a file of a merge that a parent has in another folder
    loose_objects loose objects, damaged ones included
    objects       reads commits, trees and blobs, within bounded caches
    grafts        shallow, grafted and replaced history
    walk          commits newest first
    commits       what a commit object says
    refs          commits by name
    tree          which paths differ between two trees
    bounds        how much of a tree is listed at most
    renames       which of them are one file that moved
    regions       where two texts differ at all
    xdiff         libgit2's line diff
    hunks         two texts to unified hunks
    file_diff     the two sides of one file, within bounds
    patches       plain commits, many in a row, compared by git itself
    diff          a commit to its file changes
    merge         what only a merge itself changed
    combined_diff … line by line
    decode        bytes to text, once
    attributes    .gitattributes and .oharaignore
    wildcard      git's path patterns
    blame         who last touched a line

Exceptions of pygit2 do not leave this package: what stops the work is a RepositoryError, what is
merely absent (a partial clone's blob, a collected object) is returned as missing. Nothing here writes
to a repository or fetches from a network.
"""
