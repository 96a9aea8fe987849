"""Scenarios on files and vector stores, with the SDK's own helpers. Each makes what it
needs, since all run at once."""

import io


def scenarios(clients):
    client = clients.plain

    def text(name, content):
        return (name, io.BytesIO(content.encode()))

    def store(name):
        return client.vector_stores.create(name=name)

    def whole():
        made = client.vector_stores.create(name="python whole", metadata={"project": "towns"})
        file = client.files.create(file=text("whole.md", "# Python\n\nThe whole harbour closes at nine.\n"), purpose="assistants")
        client.files.wait_for_processing(file.id)
        attached = client.vector_stores.files.create_and_poll(
            file.id, vector_store_id=made.id, attributes={"year": 2026, "draft": False, "town": "Kiel"}
        )
        found = client.vector_stores.search(made.id, query="When does the harbour close?", max_num_results=3)
        content = list(client.vector_stores.files.content(file.id, vector_store_id=made.id))
        counts = client.vector_stores.retrieve(made.id).file_counts
        raw = client.files.content(file.id).read().decode()
        renamed = client.vector_stores.update(made.id, name="renamed", metadata={"project": "harbours"})
        metadata = [made.metadata, renamed.metadata]
        detached = client.vector_stores.files.delete(file.id, vector_store_id=made.id)
        kept = client.files.retrieve(file.id)
        gone = client.vector_stores.delete(made.id)
        deleted = client.files.delete(file.id)
        return {
            "status": attached.status,
            "attributes": attached.attributes,
            "found": [[r.filename, r.content[0].text, r.score > 0] for r in found],
            "content": content[0].text,
            "raw": raw,
            "metadata": metadata,
            "completed": counts.completed,
            "total": counts.total,
            "name": renamed.name,
            "kept": kept.filename,
            "deleted": [detached.deleted, gone.deleted, deleted.deleted],
        }

    def upload_and_poll():
        made = store("python upload")
        file = client.vector_stores.files.upload_and_poll(
            vector_store_id=made.id, file=text("upload.md", "# Python\n\nThe uploaded lighthouse is red.\n")
        )
        return {"status": file.status, "listed": [f.id == file.id for f in client.vector_stores.files.list(made.id)]}

    def batch():
        made = store("python batch")
        ended = client.vector_stores.file_batches.upload_and_poll(
            made.id, files=[text(f"{n}.md", f"# Python\n\nBatch number {n}.\n") for n in range(3)]
        )
        files = list(client.vector_stores.file_batches.list_files(ended.id, vector_store_id=made.id, limit=2))
        return {"status": ended.status, "completed": ended.file_counts.completed, "total": len(files)}

    def failed():
        made = store("python failed")
        file = client.vector_stores.files.upload_and_poll(vector_store_id=made.id, file=text("blank.md", " \n \n"))
        return {"status": file.status, "code": file.last_error.code, "message": file.last_error.message}

    def filtered():
        made = store("python filtered")
        for year in (2024, 2025, 2026):
            client.vector_stores.files.upload_and_poll(
                vector_store_id=made.id, file=text(f"{year}.md", f"# Python\n\nThe report of the ferries in {year}.\n"), attributes={"year": year}
            )
        filters = {
            "type": "or",
            "filters": [{"type": "eq", "key": "year", "value": 2024}, {"type": "gt", "key": "year", "value": 2025}],
        }
        found = client.vector_stores.search(made.id, query=["report", "ferries"], filters=filters)
        return {"names": sorted(r.filename for r in found)}

    def paged():
        made = [store(f"python page {n}").id for n in range(3)]
        listed = [s.id for s in client.vector_stores.list(limit=1, order="asc")]
        return {"names": [id in listed for id in made], "twice": len(listed) != len(set(listed))}

    def second_store():
        first, second = store("python first"), store("python second")
        file = client.vector_stores.files.upload_and_poll(vector_store_id=first.id, file=text("one.md", "# Python\n\nIn one store only.\n"))
        return client.vector_stores.files.create(second.id, file_id=file.id)

    return {
        "whole": whole,
        "upload_and_poll": upload_and_poll,
        "batch": batch,
        "failed": failed,
        "filtered": filtered,
        "paged": paged,
        "second_store": second_store,
        "missing": lambda: client.vector_stores.retrieve("vs_of_another_server"),
        "unsupported": lambda: client.vector_stores.create(expires_after={"anchor": "last_active_at", "days": 1}),
    }
