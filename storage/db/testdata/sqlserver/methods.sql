DELETE FROM "chunks"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3

DELETE FROM "document_texts"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3

DELETE FROM "idempotency_keys"
  WHERE (tenant_id = @p1 AND key_hash = @p2) AND expires_at <= @p3

INSERT INTO "api_keys" ("id","tenant_id","name","prefix","key_hash","scopes","assistants","default_assistant","created_at","expires_at","revoked_at","limits")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12);

INSERT INTO "assistant_settings" ("allow_model_override","assistant_id","citation_format","citation_link_delivery","citation_link_mode","citation_link_ttl_seconds","citation_numbering","citation_offset_unit","citation_prompt","citation_renumber","collections","concurrent_streams","confidence_similarity","context_top_k","context_window","enable_citations","enable_compaction","enable_query_rewrite","enable_rag","enable_reranking","enable_retrieval_gate","eval_judge_prompt","expose_retrieved_chunks","history_markers","history_retention_days","logo_url","marker_mode","max_sources_per_document","max_tokens","model","no_marker_policy","no_sources_policy","on_retrieval_error","orphan_policy","public_access","query_rewrite_prompt","requests_per_minute","requests_per_month","rerank_prompt","reranker_score_threshold","reranker_top_k","retrieval_include_neighbors","retrieval_label_filter","retrieval_score_threshold","retrieval_tag_filter","retrieval_top_k","search_max_tokens","search_mode","search_temperature","search_timeout_seconds","search_top_k","searches_per_minute","store_history","support_check","synonym_packs","synonyms","system_prompt","temperature","tenant_id","text_weight","title","tokens_per_minute","tokens_per_month","top_p","unknown_document_policy","uploads_per_minute","upstream","upstream_fallbacks")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28,@p29,@p30,@p31,@p32,@p33,@p34,@p35,@p36,@p37,@p38,@p39,@p40,@p41,@p42,@p43,@p44,@p45,@p46,@p47,@p48,@p49,@p50,@p51,@p52,@p53,@p54,@p55,@p56,@p57,@p58,@p59,@p60,@p61,@p62,@p63,@p64,@p65,@p66,@p67,@p68);

INSERT INTO "assistants" ("id","tenant_id","slug","name","name_key","collection_id","revision","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9);

INSERT INTO "audit_events" ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21);

INSERT INTO "chunks" ("id","tenant_id","document_id","version","chunk_index","body","tokens","page","page_end","heading_path","char_start","char_end","page_starts","table_header","page_opening")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15),…;

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

INSERT INTO "eval_questions" ("id","tenant_id","assistant_id","gold_id","body","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7);

INSERT INTO "eval_runs" ("id","tenant_id","assistant_id","name","settings","top_k","answers","judge","status","total","done","created_at","ended_at","summary")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14);

INSERT INTO "jobs" ("id","tenant_id","kind","document_id","version","blob_keys","attempt","not_before","lease_until","revision","created_at","collection_id","priority","turn","place")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15);

INSERT INTO "upstreams" ("id","tenant_id","name","base_url","api_key","default_model","headers","revision","first_token_timeout","idle_timeout","total_timeout","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13);

MERGE INTO "audit_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21)) AS excluded ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  ON "audit_events"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","created_at"="excluded"."created_at","action"="excluded"."action","result"="excluded"."result","status"="excluded"."status","code"="excluded"."code","key_id"="excluded"."key_id","key_name"="excluded"."key_name","user_name"="excluded"."user_name","address"="excluded"."address","request_id"="excluded"."request_id","assistant_id"="excluded"."assistant_id","target_id"="excluded"."target_id","fields"="excluded"."fields","model"="excluded"."model","query"="excluded"."query","collection_ids"="excluded"."collection_ids","document_ids"="excluded"."document_ids","results"="excluded"."results","took_micros"="excluded"."took_micros"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."created_at","excluded"."action","excluded"."result","excluded"."status","excluded"."code","excluded"."key_id","excluded"."key_name","excluded"."user_name","excluded"."address","excluded"."request_id","excluded"."assistant_id","excluded"."target_id","excluded"."fields","excluded"."model","excluded"."query","excluded"."collection_ids","excluded"."document_ids","excluded"."results","excluded"."took_micros");

MERGE INTO "eval_outcomes" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4)) AS excluded ("run_id","place","tenant_id","body")
  ON "eval_outcomes"."run_id" = "excluded"."run_id" AND "eval_outcomes"."place" = "excluded"."place"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","body"="excluded"."body"
  WHEN NOT MATCHED THEN INSERT ("run_id","place","tenant_id","body")
  VALUES ("excluded"."run_id","excluded"."place","excluded"."tenant_id","excluded"."body");

MERGE INTO "history_answers" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28)) AS excluded ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  ON "history_answers"."id" = "excluded"."id"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."assistant_id","excluded"."thread_id","excluded"."created_at","excluded"."key_id","excluded"."user_name","excluded"."request_id","excluded"."completion_id","excluded"."model","excluded"."question","excluded"."answer","excluded"."truncated","excluded"."finish_reason","excluded"."outcome","excluded"."code","excluded"."citation_status","excluded"."citations","excluded"."cited","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_byte_micros","excluded"."took_micros","excluded"."rating","excluded"."comment","excluded"."rated_by","excluded"."rated_at","excluded"."verifications");

MERGE INTO "history_threads" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8)) AS excluded ("assistant_id","id","tenant_id","title","user_name","answers","created_at","updated_at")
  ON "history_threads"."assistant_id" = "excluded"."assistant_id" AND "history_threads"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","title"="excluded"."title","user_name"="excluded"."user_name","answers"="excluded"."answers","created_at"="excluded"."created_at","updated_at"="excluded"."updated_at"
  WHEN NOT MATCHED THEN INSERT ("assistant_id","id","tenant_id","title","user_name","answers","created_at","updated_at")
  VALUES ("excluded"."assistant_id","excluded"."id","excluded"."tenant_id","excluded"."title","excluded"."user_name","excluded"."answers","excluded"."created_at","excluded"."updated_at");

MERGE INTO "idempotency_keys" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11)) AS excluded ("tenant_id","key_hash","fingerprint","resources","attempt","status","body","lease_until","revision","created_at","expires_at")
  ON "idempotency_keys"."tenant_id" = "excluded"."tenant_id" AND "idempotency_keys"."key_hash" = "excluded"."key_hash"
  WHEN NOT MATCHED THEN INSERT ("tenant_id","key_hash","fingerprint","resources","attempt","status","body","lease_until","revision","created_at","expires_at")
  VALUES ("excluded"."tenant_id","excluded"."key_hash","excluded"."fingerprint","excluded"."resources","excluded"."attempt","excluded"."status","excluded"."body","excluded"."lease_until","excluded"."revision","excluded"."created_at","excluded"."expires_at");

MERGE INTO "limit_months" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5)) AS excluded ("tenant_id","subject_id","begins_at","requests","tokens")
  ON "limit_months"."tenant_id" = "excluded"."tenant_id" AND "limit_months"."subject_id" = "excluded"."subject_id" AND "limit_months"."begins_at" = "excluded"."begins_at"
  WHEN MATCHED THEN UPDATE SET "requests"="limit_months"."requests" + "excluded"."requests","tokens"="limit_months"."tokens" + "excluded"."tokens"
  WHEN NOT MATCHED THEN INSERT ("tenant_id","subject_id","begins_at","requests","tokens")
  VALUES ("excluded"."tenant_id","excluded"."subject_id","excluded"."begins_at","excluded"."requests","excluded"."tokens");

MERGE INTO "search_stream_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4)) AS excluded ("stream_id","number","tenant_id","event")
  ON "search_stream_events"."stream_id" = "excluded"."stream_id" AND "search_stream_events"."number" = "excluded"."number"
  WHEN NOT MATCHED THEN INSERT ("stream_id","number","tenant_id","event")
  VALUES ("excluded"."stream_id","excluded"."number","excluded"."tenant_id","excluded"."event");

MERGE INTO "search_streams" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9)) AS excluded ("id","tenant_id","key_id","fingerprint","first_event","next_event","beat","ended","expires_at")
  ON "search_streams"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "first_event"="excluded"."first_event","next_event"="excluded"."next_event","beat"="excluded"."beat","ended"="excluded"."ended","expires_at"="excluded"."expires_at"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","key_id","fingerprint","first_event","next_event","beat","ended","expires_at")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."key_id","excluded"."fingerprint","excluded"."first_event","excluded"."next_event","excluded"."beat","excluded"."ended","excluded"."expires_at");

MERGE INTO "usage_hours" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18)) AS excluded ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  ON "usage_hours"."tenant_id" = "excluded"."tenant_id" AND "usage_hours"."begins_at" = "excluded"."begins_at" AND "usage_hours"."assistant_id" = "excluded"."assistant_id" AND "usage_hours"."key_id" = "excluded"."key_id"
  WHEN MATCHED THEN UPDATE SET "cited"="usage_hours"."cited" + "excluded"."cited","completion_tokens"="usage_hours"."completion_tokens" + "excluded"."completion_tokens","counted"="usage_hours"."counted" + "excluded"."counted","failed"="usage_hours"."failed" + "excluded"."failed","first_byte_micros"="usage_hours"."first_byte_micros" + "excluded"."first_byte_micros","first_bytes"="usage_hours"."first_bytes" + "excluded"."first_bytes","interrupted"="usage_hours"."interrupted" + "excluded"."interrupted","no_sources"="usage_hours"."no_sources" + "excluded"."no_sources","prompt_tokens"="usage_hours"."prompt_tokens" + "excluded"."prompt_tokens","refused"="usage_hours"."refused" + "excluded"."refused","requests"="usage_hours"."requests" + "excluded"."requests","unavailable"="usage_hours"."unavailable" + "excluded"."unavailable","uncited"="usage_hours"."uncited" + "excluded"."uncited","first_byte_most"=CASE
  WHEN "usage_hours"."first_byte_most" > "excluded"."first_byte_most" THEN "usage_hours"."first_byte_most" ELSE "excluded"."first_byte_most" END
  WHEN NOT MATCHED THEN INSERT ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  VALUES ("excluded"."tenant_id","excluded"."begins_at","excluded"."assistant_id","excluded"."key_id","excluded"."requests","excluded"."refused","excluded"."failed","excluded"."interrupted","excluded"."counted","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_bytes","excluded"."first_byte_micros","excluded"."first_byte_most","excluded"."cited","excluded"."uncited","excluded"."no_sources","excluded"."unavailable");

SELECT "assistant_id"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "created_at"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3
  ORDER BY created_at DESC,id DESC OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "id"
  FROM "documents"
  WHERE COALESCE("documents"."tenant_id", '') = @p1 AND id IN (@p1,…)

SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id IN (@p1,…) AND live >= @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "id","labels","tags"
  FROM "documents"
  WHERE tenant_id = @p1
  ORDER BY id

SELECT "id","labels","tags"
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id IN (@p1,…)
  ORDER BY id

SELECT "id","supersedes"
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id = @p2 AND id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "id","tenant_id","collection_id"
  FROM "documents"
  WHERE id IN (@p1,…) AND (NOT EXISTS (SELECT 1
  FROM jobs
  WHERE jobs.document_id = documents.id AND jobs.kind = @p2 AND jobs.version = 0))

SELECT "question","user_name","created_at"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3
  ORDER BY created_at,id OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "tenant_id","created_at"
  FROM "audit_events"
  ORDER BY tenant_id, created_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "tenant_id","id"
  FROM "eval_runs"
  WHERE status = @p1

SELECT *
  FROM "api_keys"
  WHERE prefix = @p1
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "api_keys"
  WHERE tenant_id = @p1
  ORDER BY "api_keys"."created_at","api_keys"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "api_keys"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "assistants"
  WHERE tenant_id = @p1 AND (id = @p2 OR slug = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "chunks"
  WHERE tenant_id = @p1 AND (1 = 0 OR (document_id = @p2 AND version = @p3 AND chunk_index BETWEEN @p4 AND @p5))

SELECT *
  FROM "chunks"
  WHERE tenant_id = @p1 AND id IN (@p1,…)

SELECT *
  FROM "collections"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "document_log"
  WHERE tenant_id = @p1 AND document_id = @p2
  ORDER BY revision

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id = @p2
  ORDER BY version DESC

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id = @p2 AND version = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "documents"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2
  ORDER BY place

SELECT *
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2
  ORDER BY place OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "eval_questions"."created_at","eval_questions"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "eval_runs"."created_at","eval_runs"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_threads"."updated_at","history_threads"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_threads"."updated_at","history_threads"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "idempotency_keys"
  WHERE tenant_id = @p1 AND key_hash = @p2 AND status <> 0 AND expires_at >= @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "jobs"
  WHERE not_before <= @p1 AND (lease_until IS NULL OR lease_until <= @p2)
  ORDER BY priority,turn,id OFFSET 0 ROWS FETCH NEXT 16 ROWS ONLY

SELECT *
  FROM "limit_months"
  WHERE (tenant_id = @p1 AND subject_id = @p2 AND begins_at = @p3) AND "limit_months"."subject_id" = @p4 AND "limit_months"."begins_at" = @p5
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "limit_months"
  WHERE (tenant_id = @p1 AND subject_id = @p2 AND begins_at = @p3) AND "limit_months"."tenant_id" = @p4 AND "limit_months"."subject_id" = @p5 AND "limit_months"."begins_at" = @p6
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "meta"
  WHERE tenant_id = @p1 AND name = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "search_streams"
  WHERE tenant_id = @p1 AND id = @p2 AND key_id = @p3 AND expires_at > @p4
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "upstreams"
  WHERE tenant_id = @p1
  ORDER BY "upstreams"."created_at","upstreams"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "upstreams"
  WHERE tenant_id = @p1 AND (id = @p2 OR name = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "upstreams"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT COALESCE(MAX(turn), 0) AS turn
  FROM "jobs"
  WHERE priority = @p1

SELECT COALESCE(MAX(turn), 0) AS turn
  FROM "jobs"
  WHERE tenant_id = @p1 AND collection_id = @p2 AND kind = @p3

SELECT COALESCE(MIN(turn), 0) AS turn
  FROM "jobs"
  WHERE priority = @p1 AND lease_until IS NULL AND not_before <= @p2

SELECT DISTINCT "tenant_id","assistant_id"
  FROM "history_threads"

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  JOIN documents
  ON assistant_settings.collections LIKE CONCAT('%"', documents.collection_id, '"%')
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND documents.tenant_id = @p2 AND documents.id = @p3)
  ORDER BY assistants.id

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  JOIN documents
  ON assistant_settings.collections LIKE CONCAT('%"', documents.collection_id, '"%')
  WHERE assistants.tenant_id = @p1 AND documents.tenant_id = @p2 AND documents.id = @p3
  ORDER BY assistants.id

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND (assistants.id = @p2 OR assistants.slug = @p3))
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1
  ORDER BY "assistants"."created_at","assistants"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND (assistants.id = @p2 OR assistants.slug = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN documents
  ON documents.collection_id = assistants.collection_id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND documents.tenant_id = @p2 AND documents.id = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN documents
  ON documents.collection_id = assistants.collection_id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND documents.tenant_id = @p2 AND documents.id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_questions
  ON eval_questions.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND eval_questions.tenant_id = @p2 AND eval_questions.id = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_questions
  ON eval_questions.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND eval_questions.tenant_id = @p2 AND eval_questions.id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_runs
  ON eval_runs.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND eval_runs.tenant_id = @p2 AND eval_runs.id = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_runs
  ON eval_runs.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND eval_runs.tenant_id = @p2 AND eval_runs.id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN history_answers
  ON history_answers.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND history_answers.tenant_id = @p2 AND history_answers.id = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN history_answers
  ON history_answers.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND history_answers.tenant_id = @p2 AND history_answers.id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT begins_at, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1
  GROUP BY "begins_at"
  ORDER BY begins_at OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT chunks.*
  FROM "chunks"
  JOIN documents
  ON documents.id = chunks.document_id AND documents.live = chunks.version
  WHERE documents.tenant_id = @p1 AND documents.id = @p2
  ORDER BY chunks.chunk_index OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT collection_id, COUNT(*) AS total
  FROM "jobs"
  WHERE tenant_id = @p1 AND collection_id IN (@p1,…) AND kind = @p3
  GROUP BY "collection_id"

SELECT collections.*, COALESCE(assistants.id, '') AS assistant_id, COALESCE(assistants.name, collections.name) AS assistant_name
  FROM "collections"
  LEFT JOIN assistants
  ON assistants.collection_id = collections.id
  WHERE ((assistants.id IS NOT NULL OR "collections"."shared" = @p1)) AND (collections.tenant_id = @p2 AND collections.id <> @p3)
  ORDER BY "collections"."created_at","collections"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT collections.*, COALESCE(assistants.id, '') AS assistant_id, COALESCE(assistants.name, collections.name) AS assistant_name
  FROM "collections"
  LEFT JOIN assistants
  ON assistants.collection_id = collections.id
  WHERE ((assistants.id IS NOT NULL OR "collections"."shared" = @p1)) AND collections.tenant_id = @p2
  ORDER BY "collections"."created_at","collections"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT collections.*, COALESCE(assistants.id, '') AS assistant_id, COALESCE(assistants.name, collections.name) AS assistant_name
  FROM "collections"
  LEFT JOIN assistants
  ON assistants.collection_id = collections.id
  WHERE (collections.tenant_id = @p1 AND collections.id = @p2) AND ((assistants.id IS NOT NULL OR "collections"."shared" = @p3))

SELECT collections.*, COALESCE(assistants.id, '') AS assistant_id, COALESCE(assistants.name, collections.name) AS assistant_name
  FROM "collections"
  LEFT JOIN assistants
  ON assistants.collection_id = collections.id
  WHERE COALESCE("collections"."tenant_id", '') = @p1 AND collections.id IN (@p1,…) AND ((assistants.id IS NOT NULL OR "collections"."shared" = @p3))

SELECT count(*)
  FROM "api_keys"
  WHERE tenant_id = @p1

SELECT count(*)
  FROM "assistants"
  WHERE assistants.tenant_id = @p1

SELECT count(*)
  FROM "assistants"
  WHERE tenant_id = @p1 AND slug = @p2 AND id <> @p3

SELECT count(*)
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id = @p2 AND source_key = @p3

SELECT count(*)
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2

SELECT count(*)
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND status = @p3

SELECT count(*)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3

SELECT count(*)
  FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "jobs"

SELECT count(*)
  FROM "upstreams"
  WHERE tenant_id = @p1 AND name = @p2 AND id <> @p3

SELECT document_texts.*
  FROM "document_texts"
  JOIN documents
  ON documents.id = document_texts.document_id AND documents.live = document_texts.version
  WHERE documents.tenant_id = @p1 AND documents.id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

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
  WHERE COALESCE("documents"."tenant_id", '') = @p1 AND documents.id IN (@p1,…)

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.live > 0 AND documents.id > @p1
  ORDER BY documents.id OFFSET 0 ROWS FETCH NEXT 100 ROWS ONLY

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1
  ORDER BY "documents"."created_at","documents"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1 AND documents.collection_id = @p2
  ORDER BY "documents"."created_at","documents"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1 AND documents.collection_id = @p2 AND documents.source_key = @p3
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

SELECT documents.*, files.document_id AS file_document_id, files.version AS file_version, files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, (SELECT MAX(newer.id)
  FROM documents newer
  WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1 AND documents.parent_id = @p2
  ORDER BY documents.created_at,documents.id

SELECT documents.collection_id, COUNT(*) AS documents, SUM(CASE
  WHEN files.version IS NOT NULL AND files.space IS NULL THEN 1 ELSE 0 END) AS text, SUM(CASE
  WHEN files.space IS NOT NULL THEN 1 ELSE 0 END) AS "full", SUM(CASE
  WHEN files.next_space IS NOT NULL THEN 1 ELSE 0 END) AS next, SUM(COALESCE(files.chunks, 0)) AS passages, SUM(CASE
  WHEN files.space IS NOT NULL THEN files.chunks ELSE 0 END) AS embedded, 0 AS queued
  FROM "documents"
  LEFT JOIN document_versions files
  ON files.document_id = documents.id AND files.version = documents.live
  WHERE documents.tenant_id = @p1 AND documents.collection_id IN (@p1,…)
  GROUP BY "documents"."collection_id"

SELECT documents.collection_id, COUNT(*) AS total, SUM(CASE
  WHEN documents.status = 'ready' THEN 1 ELSE 0 END) AS ready, SUM(CASE
  WHEN documents.status = 'failed' THEN 1 ELSE 0 END) AS failed, SUM(files.bytes) AS bytes
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = CASE
  WHEN documents.live > 0 THEN documents.live ELSE documents.latest END
  WHERE documents.tenant_id = @p1 AND documents.collection_id IN (@p1,…)
  GROUP BY "documents"."collection_id"

SELECT documents.id, documents.name, documents.revision, documents.created_at, documents.supersedes, documents.profile_edits, files.profile
  FROM "documents"
  JOIN document_versions files
  ON files.document_id = documents.id AND files.version = documents.live
  WHERE documents.tenant_id = @p1 AND documents.collection_id IN (@p1,…) AND documents.live >= 1
  ORDER BY documents.id

SELECT status, COUNT(*) AS total
  FROM "documents"
  GROUP BY "status"

SELECT status, COUNT(*) AS total
  FROM "documents"
  WHERE tenant_id = @p1
  GROUP BY "status"

UPDATE "api_keys"
  SET "name"=name
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "api_keys"
  SET "revoked_at"=@p1
  WHERE tenant_id = @p2 AND id = @p3 AND revoked_at IS NULL

UPDATE "assistants"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND (id = @p2 OR slug = @p3)

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
  SET "cause_code"=@p1,"cause_message"=@p2,"live"=@p3,"ready_at"=@p4,"status"=@p5,"updated_at"=@p6
  WHERE tenant_id = @p7 AND id = @p8

UPDATE "documents"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "eval_runs"
  SET "done"=@p1
  WHERE tenant_id = @p2 AND id = @p3

UPDATE "eval_runs"
  SET "done"=done
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "eval_runs"
  SET "done"=done
  WHERE tenant_id = @p1 AND id = @p2 AND status = @p3

UPDATE "eval_runs"
  SET "ended_at"=@p1,"status"=@p2
  WHERE tenant_id = @p3 AND id = @p4 AND status = @p5

UPDATE "history_answers"
  SET "truncated"=truncated
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "idempotency_keys"
  SET "body"=@p1,"revision"=@p2,"status"=@p3
  WHERE tenant_id = @p4 AND key_hash = @p5 AND revision = @p6 AND status = 0

UPDATE "upstreams"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND id = @p2
