DELETE FROM "assistant_settings"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "assistants"
  WHERE tenant_id = @p1 AND id = @p2

DELETE FROM "chunks"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND collection_id = @p3)

DELETE FROM "collections"
  WHERE tenant_id = @p1 AND id = @p2

DELETE FROM "document_log"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND collection_id = @p3)

DELETE FROM "document_texts"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND collection_id = @p3)

DELETE FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND collection_id = @p3)

DELETE FROM "documents"
  WHERE tenant_id = @p1 AND collection_id = @p2

DELETE FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "history_answers"
  WHERE COALESCE("history_answers"."tenant_id", '') = @p1 AND id IN (@p1,…)

DELETE FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND id = @p3

DELETE FROM "jobs"
  WHERE tenant_id = @p1 AND kind IN (@p1,…) AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p4 AND collection_id = @p5)

INSERT INTO "assistant_settings" ("allow_model_override","assistant_id","citation_format","citation_link_delivery","citation_link_mode","citation_link_ttl_seconds","citation_numbering","citation_offset_unit","citation_prompt","citation_renumber","collections","concurrent_streams","confidence_similarity","context_top_k","context_window","enable_citations","enable_compaction","enable_query_rewrite","enable_rag","enable_reranking","enable_retrieval_gate","eval_judge_prompt","expose_retrieved_chunks","history_markers","history_retention_days","logo_url","marker_mode","max_sources_per_document","max_tokens","model","no_marker_policy","no_sources_policy","on_retrieval_error","orphan_policy","public_access","query_rewrite_prompt","requests_per_minute","requests_per_month","rerank_prompt","reranker_score_threshold","reranker_top_k","retrieval_include_neighbors","retrieval_label_filter","retrieval_score_threshold","retrieval_tag_filter","retrieval_top_k","search_max_tokens","search_mode","search_temperature","search_timeout_seconds","search_top_k","searches_per_minute","store_history","support_check","synonym_packs","synonyms","system_prompt","temperature","tenant_id","text_weight","title","tokens_per_minute","tokens_per_month","top_p","unknown_document_policy","uploads_per_minute","upstream","upstream_fallbacks")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28,@p29,@p30,@p31,@p32,@p33,@p34,@p35,@p36,@p37,@p38,@p39,@p40,@p41,@p42,@p43,@p44,@p45,@p46,@p47,@p48,@p49,@p50,@p51,@p52,@p53,@p54,@p55,@p56,@p57,@p58,@p59,@p60,@p61,@p62,@p63,@p64,@p65,@p66,@p67,@p68);

INSERT INTO "assistants" ("id","tenant_id","slug","name","name_key","collection_id","revision","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9);

INSERT INTO "collections" ("id","tenant_id","name","revision","created_at","shared","space","next_space","calibration","calibrated","metadata","synonyms")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12);

MERGE INTO "history_answers" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28)) AS excluded ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  ON "history_answers"."id" = "excluded"."id"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."assistant_id","excluded"."thread_id","excluded"."created_at","excluded"."key_id","excluded"."user_name","excluded"."request_id","excluded"."completion_id","excluded"."model","excluded"."question","excluded"."answer","excluded"."truncated","excluded"."finish_reason","excluded"."outcome","excluded"."code","excluded"."citation_status","excluded"."citations","excluded"."cited","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_byte_micros","excluded"."took_micros","excluded"."rating","excluded"."comment","excluded"."rated_by","excluded"."rated_at","excluded"."verifications");

MERGE INTO "history_answers" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21,@p22,@p23,@p24,@p25,@p26,@p27,@p28),…) AS excluded ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  ON "history_answers"."id" = "excluded"."id"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","assistant_id","thread_id","created_at","key_id","user_name","request_id","completion_id","model","question","answer","truncated","finish_reason","outcome","code","citation_status","citations","cited","prompt_tokens","completion_tokens","first_byte_micros","took_micros","rating","comment","rated_by","rated_at","verifications")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."assistant_id","excluded"."thread_id","excluded"."created_at","excluded"."key_id","excluded"."user_name","excluded"."request_id","excluded"."completion_id","excluded"."model","excluded"."question","excluded"."answer","excluded"."truncated","excluded"."finish_reason","excluded"."outcome","excluded"."code","excluded"."citation_status","excluded"."citations","excluded"."cited","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_byte_micros","excluded"."took_micros","excluded"."rating","excluded"."comment","excluded"."rated_by","excluded"."rated_at","excluded"."verifications");

MERGE INTO "history_threads" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8)) AS excluded ("assistant_id","id","tenant_id","title","user_name","answers","created_at","updated_at")
  ON "history_threads"."assistant_id" = "excluded"."assistant_id" AND "history_threads"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","title"="excluded"."title","user_name"="excluded"."user_name","answers"="excluded"."answers","created_at"="excluded"."created_at","updated_at"="excluded"."updated_at"
  WHEN NOT MATCHED THEN INSERT ("assistant_id","id","tenant_id","title","user_name","answers","created_at","updated_at")
  VALUES ("excluded"."assistant_id","excluded"."id","excluded"."tenant_id","excluded"."title","excluded"."user_name","excluded"."answers","excluded"."created_at","excluded"."updated_at");

SELECT "assistant_id"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "created_at"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3
  ORDER BY created_at DESC,id DESC OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "id"
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT "id","assistant_id","thread_id"
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at < @p3
  ORDER BY created_at,id OFFSET 0 ROWS FETCH NEXT 500 ROWS ONLY

SELECT "id","assistant_id","thread_id"
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3
  ORDER BY created_at,id OFFSET 0 ROWS FETCH NEXT 500 ROWS ONLY

SELECT "id","assistant_id","thread_id"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY created_at,id

SELECT "id","collection_id","supersedes"
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id = @p2
  ORDER BY id

SELECT "question","user_name","created_at"
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3
  ORDER BY created_at,id OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "assistants"
  WHERE tenant_id = @p1 AND (id = @p2 OR slug = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "document_versions"
  WHERE tenant_id = @p1 AND document_id IN (SELECT "id"
  FROM "documents"
  WHERE tenant_id = @p2 AND collection_id = @p3)
  ORDER BY document_id,version

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" <= @p3 AND ("history_answers"."created_at" < @p4 OR "history_answers"."id" < @p5))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" >= @p3 AND ("history_answers"."created_at" > @p4 OR "history_answers"."id" > @p5))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 1001 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" >= @p3 AND ("history_answers"."created_at" > @p4 OR "history_answers"."id" > @p5))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND completion_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND completion_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4 AND ("history_answers"."created_at" <= @p5 AND ("history_answers"."created_at" < @p6 OR "history_answers"."id" < @p7))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4 AND ("history_answers"."created_at" >= @p5 AND ("history_answers"."created_at" > @p6 OR "history_answers"."id" > @p7))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND rating IN (@p1,…)
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND rating IN (@p1,…)
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND user_name = @p4 AND created_at < @p5
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND user_name = @p4 AND created_at < @p5
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "history_answers"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_threads"."updated_at" <= @p3 AND ("history_threads"."updated_at" < @p4 OR "history_threads"."id" < @p5))
  ORDER BY "history_threads"."updated_at" DESC,"history_threads"."id" DESC OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_threads"."updated_at" DESC,"history_threads"."id" DESC OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_threads"."updated_at" DESC,"history_threads"."id" DESC OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT *
  FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" <= @p3 AND ("history_answers"."created_at" < @p4 OR "history_answers"."id" < @p5))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" >= @p3 AND ("history_answers"."created_at" > @p4 OR "history_answers"."id" > @p5))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 1001 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("history_answers"."created_at" >= @p3 AND ("history_answers"."created_at" > @p4 OR "history_answers"."id" > @p5))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND completion_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND completion_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4 AND ("history_answers"."created_at" <= @p5 AND ("history_answers"."created_at" < @p6 OR "history_answers"."id" < @p7))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4 AND ("history_answers"."created_at" >= @p5 AND ("history_answers"."created_at" > @p6 OR "history_answers"."id" > @p7))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND rating IN (@p1,…)
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND rating IN (@p1,…)
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND user_name = @p4 AND created_at < @p5
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND user_name = @p4 AND created_at < @p5
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3 AND ("history_answers"."created_at" <= @p4 AND ("history_answers"."created_at" < @p5 OR "history_answers"."id" < @p6))
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3 AND ("history_answers"."created_at" >= @p4 AND ("history_answers"."created_at" > @p5 OR "history_answers"."id" > @p6))
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at" DESC,"history_answers"."id" DESC OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 1001 ROWS ONLY

SELECT COALESCE(DATALENGTH("question"), 0) + COALESCE(DATALENGTH("answer"), 0) + COALESCE(DATALENGTH("citations"), 0)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "history_answers"."created_at","history_answers"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT DISTINCT "tenant_id","assistant_id"
  FROM "history_threads"

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND (assistants.id = @p2 OR assistants.slug = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND assistants.id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN history_answers
  ON history_answers.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE (assistants.tenant_id = @p1 AND history_answers.tenant_id = @p2 AND history_answers.id = @p3) AND history_answers.key_id = @p4
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN history_answers
  ON history_answers.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (NULL) AND (assistants.tenant_id = @p1 AND history_answers.tenant_id = @p2 AND history_answers.id = @p3)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT count(*)
  FROM "assistants"
  WHERE tenant_id = @p1 AND slug = @p2 AND id <> @p3

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND completion_id = @p3

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND created_at >= @p3 AND created_at < @p4

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND key_id = @p3

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND rating IN (@p1,…)

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND thread_id = @p3 AND user_name = @p4 AND created_at < @p5

SELECT count(*)
  FROM "history_answers"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND user_name = @p3

SELECT count(*)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND thread_id = @p3

UPDATE "assistant_settings"
  SET "allow_model_override"=@p1,"assistant_id"=@p2,"citation_format"=@p3,"citation_link_delivery"=@p4,"citation_link_mode"=@p5,"citation_link_ttl_seconds"=@p6,"citation_numbering"=@p7,"citation_offset_unit"=@p8,"citation_prompt"=@p9,"citation_renumber"=@p10,"collections"=@p11,"concurrent_streams"=@p12,"confidence_similarity"=@p13,"context_top_k"=@p14,"context_window"=@p15,"enable_citations"=@p16,"enable_compaction"=@p17,"enable_query_rewrite"=@p18,"enable_rag"=@p19,"enable_reranking"=@p20,"enable_retrieval_gate"=@p21,"eval_judge_prompt"=@p22,"expose_retrieved_chunks"=@p23,"history_markers"=@p24,"history_retention_days"=@p25,"logo_url"=@p26,"marker_mode"=@p27,"max_sources_per_document"=@p28,"max_tokens"=@p29,"model"=@p30,"no_marker_policy"=@p31,"no_sources_policy"=@p32,"on_retrieval_error"=@p33,"orphan_policy"=@p34,"public_access"=@p35,"query_rewrite_prompt"=@p36,"requests_per_minute"=@p37,"requests_per_month"=@p38,"rerank_prompt"=@p39,"reranker_score_threshold"=@p40,"reranker_top_k"=@p41,"retrieval_include_neighbors"=@p42,"retrieval_label_filter"=@p43,"retrieval_score_threshold"=@p44,"retrieval_tag_filter"=@p45,"retrieval_top_k"=@p46,"search_max_tokens"=@p47,"search_mode"=@p48,"search_temperature"=@p49,"search_timeout_seconds"=@p50,"search_top_k"=@p51,"searches_per_minute"=@p52,"store_history"=@p53,"support_check"=@p54,"synonym_packs"=@p55,"synonyms"=@p56,"system_prompt"=@p57,"temperature"=@p58,"tenant_id"=@p59,"text_weight"=@p60,"title"=@p61,"tokens_per_minute"=@p62,"tokens_per_month"=@p63,"top_p"=@p64,"unknown_document_policy"=@p65,"uploads_per_minute"=@p66,"upstream"=@p67,"upstream_fallbacks"=@p68
  WHERE tenant_id = @p69 AND assistant_id = @p70

UPDATE "assistants"
  SET "name"=@p1,"name_key"=@p2,"slug"=@p3,"updated_at"=@p4
  WHERE tenant_id = @p5 AND id = @p6

UPDATE "assistants"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND (id = @p2 OR slug = @p3)

UPDATE "collections"
  SET "name"=@p1
  WHERE tenant_id = @p2 AND id = @p3

UPDATE "documents"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND collection_id = @p2

UPDATE "history_answers"
  SET "rating"=@p1,"comment"=@p2,"rated_by"=@p3,"rated_at"=@p4,"verifications"=@p5
  WHERE tenant_id = @p6 AND id = @p7

UPDATE "history_answers"
  SET "truncated"=truncated
  WHERE tenant_id = @p1 AND id = @p2
