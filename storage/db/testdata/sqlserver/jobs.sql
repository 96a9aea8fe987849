DELETE FROM "chunks"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3

DELETE FROM "chunks"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND id = @p3)

DELETE FROM "document_log"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND id = @p3)

DELETE FROM "document_texts"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3

DELETE FROM "document_texts"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND id = @p3)

DELETE FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND id = @p3)

DELETE FROM "documents"
  WHERE tenant_id = @p1 AND id = @p2

DELETE FROM "jobs"
  WHERE id = @p1 AND revision = @p2

DELETE FROM "jobs"
  WHERE tenant_id = @p1 AND kind IN (@p1,…) AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p4 AND id = @p5)

INSERT INTO "assistant_settings" ("allow_model_override","assistant_id","citation_format","citation_link_delivery","citation_link_mode","citation_link_ttl_seconds","citation_numbering","citation_offset_unit","citation_prompt","citation_renumber","collections","concurrent_streams","confidence_similarity","context_top_k","context_window","enable_citations","enable_compaction","enable_query_rewrite","enable_rag","enable_reranking","enable_retrieval_gate","eval_judge_prompt","expose_retrieved_chunks","history_markers","history_retention_days","logo_url","marker_mode","max_sources_per_document","max_tokens","model","no_marker_policy","no_sources_policy","on_retrieval_error","orphan_policy","public_access","query_rewrite_prompt","requests_per_minute","requests_per_month","rerank_prompt","reranker_score_threshold","reranker_top_k","retrieval_include_neighbors","retrieval_label_filter","retrieval_score_threshold","retrieval_tag_filter","retrieval_top_k","search_max_tokens","search_mode","search_temperature","search_timeout_seconds","search_top_k","searches_per_minute","store_history","support_check","synonym_packs","synonyms","system_prompt","temperature","tenant_id","text_weight","title","tokens_per_minute","tokens_per_month","top_p","unknown_document_policy","uploads_per_minute","upstream","upstream_fallbacks")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28,@p29,@p30,@p31,@p32,@p33,@p34,@p35,@p36,@p37,@p38,@p39,@p40,@p41,@p42,@p43,@p44,@p45,@p46,@p47,@p48,@p49,@p50,@p51,@p52,@p53,@p54,@p55,@p56,@p57,@p58,@p59,@p60,@p61,@p62,@p63,@p64,@p65,@p66,@p67,@p68);

INSERT INTO "assistants" ("id","tenant_id","slug","name","name_key","collection_id","revision","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9);

INSERT INTO "chunks" ("id","tenant_id","document_id","version","chunk_index","body","tokens","page","page_end","heading_path","char_start","char_end","page_starts","table_header","page_opening")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15);

INSERT INTO "collections" ("id","tenant_id","name","revision","created_at","shared","space","next_space","calibration","calibrated","metadata","synonyms")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12);

INSERT INTO "document_log" ("document_id","revision","tenant_id","version","status","cause_code","cause_message","logged_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8);

INSERT INTO "document_texts" ("document_id","version","tenant_id","body","runes","pages")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6);

INSERT INTO "document_versions" ("document_id","version","tenant_id","file_name","blob_key","sha256","bytes","content_type","pages","chunks","ocr","created_at","space","next_space","profile")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15);

INSERT INTO "documents" ("id","tenant_id","collection_id","name","name_key","source_path","source_key","parent_id","supersedes","status","cause_code","cause_message","pages_done","pages_total","chunks_done","chunks_total","labels","tags","tag_types","profile_edits","marks","live","latest","latest_sha256","revision","created_at","updated_at","ready_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28);

INSERT INTO "jobs" ("id","tenant_id","kind","document_id","version","blob_keys","attempt","not_before","lease_until","revision","created_at","collection_id","priority","turn","place")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15);

SELECT "id","collection_id","supersedes"
  FROM "documents"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY id

SELECT "id","collection_id","supersedes"
  FROM "documents"
  WHERE tenant_id = @p1 AND supersedes IN (@p1,…)

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id = @p2
  ORDER BY version DESC

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND id = @p3)
  ORDER BY document_id,version

SELECT *
  FROM "documents"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE (not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)) AND (collection_id = @p3 AND priority = @p4)
  ORDER BY place,id OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE (not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)) AND (kind IN (@p1,…) AND priority >= @p4 AND priority <= @p5)
  ORDER BY priority,turn,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE (not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)) AND (kind IN (@p1,…) AND priority >= @p4 AND priority <= @p5) AND (collection_id = @p6 AND priority = @p7)
  ORDER BY place,id OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE (not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)) AND (kind IN (@p1,…) AND priority >= @p4 AND priority <= @p5) AND collection_id NOT IN (@p1,…)
  ORDER BY priority,turn,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE (not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)) AND (kind IN (@p1,…) AND priority >= @p5 AND priority <= @p6)
  ORDER BY priority,turn,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)
  ORDER BY priority,place,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)
  ORDER BY priority,turn,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT COALESCE(MAX(turn), 0) AS turn
  FROM "jobs"
  WHERE priority = @p1

SELECT COALESCE(MAX(turn), 0) AS turn
  FROM "jobs"
  WHERE tenant_id = @p1 AND collection_id = @p2 AND kind = @p3

SELECT COALESCE(MIN(turn), 0) AS turn
  FROM "jobs"
  WHERE priority = @p1 AND lease_until IS NULL AND not_before <= @p2

SELECT count(*)
  FROM "assistants"
  WHERE tenant_id = @p1 AND slug = @p2 AND id <> @p3

SELECT count(*)
  FROM "jobs"

SELECT count(*)
  FROM "jobs"
  WHERE kind IN (@p1,…)

SELECT count(*)
  FROM "jobs"
  WHERE tenant_id = @p1 AND document_id = @p2 AND kind = @p3 AND version = @p4

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE (documents.tenant_id = @p1 AND documents.collection_id = @p2) AND (documents.latest_sha256 = @p3 OR documents.status = @p4 AND files.sha256 = @p5)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1 AND documents.id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

UPDATE "collections"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "document_versions"
  SET "content_type"=@p1,"pages"=@p2,"chunks"=@p3,"ocr"=@p4,"profile"=@p5
  WHERE tenant_id = @p6 AND document_id = @p7 AND version = @p8

UPDATE "document_versions"
  SET "next_space"=@p1,"space"=@p2
  WHERE tenant_id = @p3 AND document_id = @p4 AND version = @p5

UPDATE "documents"
  SET "cause_code"=@p1,"cause_message"=@p2,"chunks_done"=@p3,"chunks_total"=@p4,"live"=@p5,"status"=@p6,"updated_at"=@p7
  WHERE tenant_id = @p8 AND id = @p9

UPDATE "documents"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "documents"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND parent_id = @p2

UPDATE "jobs"
  SET "attempt"=@p1,"lease_until"=@p2,"not_before"=@p3,"revision"=@p4
  WHERE id = @p5 AND revision = @p6

UPDATE "jobs"
  SET "attempt"=@p1,"lease_until"=@p2,"not_before"=@p3,"revision"=@p4,"turn"=@p5
  WHERE id = @p6 AND revision = @p7

UPDATE "jobs"
  SET "attempt"=@p1,"lease_until"=@p2,"revision"=@p3
  WHERE id = @p4 AND revision = @p5

UPDATE "jobs"
  SET "lease_until"=@p1,"revision"=@p2
  WHERE id = @p3 AND revision = @p4

UPDATE "jobs"
  SET "turn"=@p1
  WHERE id = @p2 AND revision = @p3
