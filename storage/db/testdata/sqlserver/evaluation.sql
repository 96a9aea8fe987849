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

DELETE FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id IN (@p1,…)

DELETE FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "eval_questions"
  WHERE tenant_id = @p1 AND id = @p2

DELETE FROM "eval_runs"
  WHERE COALESCE("eval_runs"."tenant_id", '') = @p1 AND id IN (@p1,…)

DELETE FROM "history_answers"
  WHERE tenant_id = @p1 AND assistant_id = @p2

DELETE FROM "history_threads"
  WHERE tenant_id = @p1 AND assistant_id = @p2

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

INSERT INTO "eval_questions" ("id","tenant_id","assistant_id","gold_id","body","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7),…;

INSERT INTO "eval_questions" ("id","tenant_id","assistant_id","gold_id","body","created_at","updated_at")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7);

INSERT INTO "eval_runs" ("id","tenant_id","assistant_id","name","settings","top_k","answers","judge","status","total","done","created_at","ended_at","summary")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14);

MERGE INTO "eval_outcomes" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4)) AS excluded ("run_id","place","tenant_id","body")
  ON "eval_outcomes"."run_id" = "excluded"."run_id" AND "eval_outcomes"."place" = "excluded"."place"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","body"="excluded"."body"
  WHEN NOT MATCHED THEN INSERT ("run_id","place","tenant_id","body")
  VALUES ("excluded"."run_id","excluded"."place","excluded"."tenant_id","excluded"."body");

SELECT "id"
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT "id","collection_id","supersedes"
  FROM "documents"
  WHERE tenant_id = @p1 AND collection_id = @p2
  ORDER BY id

SELECT "tenant_id","id"
  FROM "eval_runs"
  WHERE status = @p1

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
  FROM "eval_outcomes"
  WHERE (tenant_id = @p1 AND run_id = @p2) AND place > @p3
  ORDER BY place OFFSET 0 ROWS FETCH NEXT 6 ROWS ONLY

SELECT *
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2
  ORDER BY place

SELECT *
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2
  ORDER BY place OFFSET 0 ROWS FETCH NEXT 6 ROWS ONLY

SELECT *
  FROM "eval_questions"
  WHERE (tenant_id = @p1 AND assistant_id = @p2) AND ("eval_questions"."created_at" >= @p3 AND ("eval_questions"."created_at" > @p4 OR "eval_questions"."id" > @p5))
  ORDER BY "eval_questions"."created_at","eval_questions"."id" OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "eval_questions"."created_at","eval_questions"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "eval_questions"."created_at","eval_questions"."id" OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

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

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_questions
  ON eval_questions.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.id IN (@p1,…) AND (assistants.tenant_id = @p2 AND eval_questions.tenant_id = @p3 AND eval_questions.id = @p4)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT assistant_settings.*, assistants.*
  FROM "assistants"
  JOIN eval_runs
  ON eval_runs.assistant_id = assistants.id
  JOIN assistant_settings
  ON assistant_settings.assistant_id = assistants.id
  WHERE assistants.tenant_id = @p1 AND eval_runs.tenant_id = @p2 AND eval_runs.id = @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT count(*)
  FROM "assistants"
  WHERE tenant_id = @p1 AND slug = @p2 AND id <> @p3

SELECT count(*)
  FROM "eval_outcomes"
  WHERE tenant_id = @p1 AND run_id = @p2

SELECT count(*)
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "eval_questions"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND gold_id = @p3 AND id <> @p4

SELECT count(*)
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2

SELECT count(*)
  FROM "eval_runs"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND status = @p3

UPDATE "assistants"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND (id = @p2 OR slug = @p3)

UPDATE "documents"
  SET "revision"=revision + 1
  WHERE tenant_id = @p1 AND collection_id = @p2

UPDATE "eval_questions"
  SET "gold_id"=@p1,"body"=@p2,"updated_at"=@p3
  WHERE tenant_id = @p4 AND id = @p5

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

UPDATE "eval_runs"
  SET "summary"=@p1
  WHERE tenant_id = @p2 AND id = @p3
