"""Typesets the family: look-alike documents of fictional companies, with questions.

    make family        # or: python3 build.py DOCUMENTS QUESTIONS

DOCUMENTS gets the PDF files, and tables.jsonl with every row of every table, its
title and its pages. QUESTIONS gets documents.json, questions.jsonl to tune on and
questions_heldout.jsonl, which only measures. Two runs give the same bytes.
"""

import json
import pathlib
import sys

import papers
import questions
import reports


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main():
    folder, lists = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    family = {"reports": list(reports.documents()), "contracts": list(papers.contracts()), "manuals": list(papers.manuals()), "prices": list(papers.prices())}
    made = [group[-1] for kind in family.values() for group in kind]
    for document in made:
        document.build(folder)
    tuning, held_out = questions.ask(family)
    tables = [{**row, "pages": document.pages[row["fact"]]} for document in made for row in document.tables]
    listed = [{"name": document.name, "package": "family", "version": "1", "pages": document.count, "language": "en"} for document in made]
    (lists / "documents.json").write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in listed) + "\n]\n", encoding="utf-8")
    for name, rows in {"questions.jsonl": tuning, "questions_heldout.jsonl": held_out}.items():
        write(lists / name, rows)
    write(folder / "tables.jsonl", tables)
    print(f"{len(made)} documents, {len(tuning)} + {len(held_out)} questions, {len(tables)} rows of tables")


if __name__ == "__main__":
    main()
