DELETE FROM "audit_events"
  WHERE id IN (@p1,…)

DELETE FROM "usage_hours"
  WHERE begins_at < @p1

INSERT INTO "audit_events" ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21),…;

INSERT INTO "audit_events" ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21);

MERGE INTO "audit_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21)) AS excluded ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  ON "audit_events"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","created_at"="excluded"."created_at","action"="excluded"."action","result"="excluded"."result","status"="excluded"."status","code"="excluded"."code","key_id"="excluded"."key_id","key_name"="excluded"."key_name","user_name"="excluded"."user_name","address"="excluded"."address","request_id"="excluded"."request_id","assistant_id"="excluded"."assistant_id","target_id"="excluded"."target_id","fields"="excluded"."fields","model"="excluded"."model","query"="excluded"."query","collection_ids"="excluded"."collection_ids","document_ids"="excluded"."document_ids","results"="excluded"."results","took_micros"="excluded"."took_micros"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."created_at","excluded"."action","excluded"."result","excluded"."status","excluded"."code","excluded"."key_id","excluded"."key_name","excluded"."user_name","excluded"."address","excluded"."request_id","excluded"."assistant_id","excluded"."target_id","excluded"."fields","excluded"."model","excluded"."query","excluded"."collection_ids","excluded"."document_ids","excluded"."results","excluded"."took_micros");

MERGE INTO "audit_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18,@p19,@p20,@p21),…) AS excluded ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  ON "audit_events"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "tenant_id"="excluded"."tenant_id","created_at"="excluded"."created_at","action"="excluded"."action","result"="excluded"."result","status"="excluded"."status","code"="excluded"."code","key_id"="excluded"."key_id","key_name"="excluded"."key_name","user_name"="excluded"."user_name","address"="excluded"."address","request_id"="excluded"."request_id","assistant_id"="excluded"."assistant_id","target_id"="excluded"."target_id","fields"="excluded"."fields","model"="excluded"."model","query"="excluded"."query","collection_ids"="excluded"."collection_ids","document_ids"="excluded"."document_ids","results"="excluded"."results","took_micros"="excluded"."took_micros"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","created_at","action","result","status","code","key_id","key_name","user_name","address","request_id","assistant_id","target_id","fields","model","query","collection_ids","document_ids","results","took_micros")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."created_at","excluded"."action","excluded"."result","excluded"."status","excluded"."code","excluded"."key_id","excluded"."key_name","excluded"."user_name","excluded"."address","excluded"."request_id","excluded"."assistant_id","excluded"."target_id","excluded"."fields","excluded"."model","excluded"."query","excluded"."collection_ids","excluded"."document_ids","excluded"."results","excluded"."took_micros");

MERGE INTO "usage_hours" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18)) AS excluded ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  ON "usage_hours"."tenant_id" = "excluded"."tenant_id" AND "usage_hours"."begins_at" = "excluded"."begins_at" AND "usage_hours"."assistant_id" = "excluded"."assistant_id" AND "usage_hours"."key_id" = "excluded"."key_id"
  WHEN MATCHED THEN UPDATE SET "cited"="usage_hours"."cited" + "excluded"."cited","completion_tokens"="usage_hours"."completion_tokens" + "excluded"."completion_tokens","counted"="usage_hours"."counted" + "excluded"."counted","failed"="usage_hours"."failed" + "excluded"."failed","first_byte_micros"="usage_hours"."first_byte_micros" + "excluded"."first_byte_micros","first_bytes"="usage_hours"."first_bytes" + "excluded"."first_bytes","interrupted"="usage_hours"."interrupted" + "excluded"."interrupted","no_sources"="usage_hours"."no_sources" + "excluded"."no_sources","prompt_tokens"="usage_hours"."prompt_tokens" + "excluded"."prompt_tokens","refused"="usage_hours"."refused" + "excluded"."refused","requests"="usage_hours"."requests" + "excluded"."requests","unavailable"="usage_hours"."unavailable" + "excluded"."unavailable","uncited"="usage_hours"."uncited" + "excluded"."uncited","first_byte_most"=CASE
  WHEN "usage_hours"."first_byte_most" > "excluded"."first_byte_most" THEN "usage_hours"."first_byte_most" ELSE "excluded"."first_byte_most" END
  WHEN NOT MATCHED THEN INSERT ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  VALUES ("excluded"."tenant_id","excluded"."begins_at","excluded"."assistant_id","excluded"."key_id","excluded"."requests","excluded"."refused","excluded"."failed","excluded"."interrupted","excluded"."counted","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_bytes","excluded"."first_byte_micros","excluded"."first_byte_most","excluded"."cited","excluded"."uncited","excluded"."no_sources","excluded"."unavailable");

MERGE INTO "usage_hours" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12,@p13,@p14,@p15,@p16,@p17,@p18),…) AS excluded ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  ON "usage_hours"."tenant_id" = "excluded"."tenant_id" AND "usage_hours"."begins_at" = "excluded"."begins_at" AND "usage_hours"."assistant_id" = "excluded"."assistant_id" AND "usage_hours"."key_id" = "excluded"."key_id"
  WHEN MATCHED THEN UPDATE SET "cited"="usage_hours"."cited" + "excluded"."cited","completion_tokens"="usage_hours"."completion_tokens" + "excluded"."completion_tokens","counted"="usage_hours"."counted" + "excluded"."counted","failed"="usage_hours"."failed" + "excluded"."failed","first_byte_micros"="usage_hours"."first_byte_micros" + "excluded"."first_byte_micros","first_bytes"="usage_hours"."first_bytes" + "excluded"."first_bytes","interrupted"="usage_hours"."interrupted" + "excluded"."interrupted","no_sources"="usage_hours"."no_sources" + "excluded"."no_sources","prompt_tokens"="usage_hours"."prompt_tokens" + "excluded"."prompt_tokens","refused"="usage_hours"."refused" + "excluded"."refused","requests"="usage_hours"."requests" + "excluded"."requests","unavailable"="usage_hours"."unavailable" + "excluded"."unavailable","uncited"="usage_hours"."uncited" + "excluded"."uncited","first_byte_most"=CASE
  WHEN "usage_hours"."first_byte_most" > "excluded"."first_byte_most" THEN "usage_hours"."first_byte_most" ELSE "excluded"."first_byte_most" END
  WHEN NOT MATCHED THEN INSERT ("tenant_id","begins_at","assistant_id","key_id","requests","refused","failed","interrupted","counted","prompt_tokens","completion_tokens","first_bytes","first_byte_micros","first_byte_most","cited","uncited","no_sources","unavailable")
  VALUES ("excluded"."tenant_id","excluded"."begins_at","excluded"."assistant_id","excluded"."key_id","excluded"."requests","excluded"."refused","excluded"."failed","excluded"."interrupted","excluded"."counted","excluded"."prompt_tokens","excluded"."completion_tokens","excluded"."first_bytes","excluded"."first_byte_micros","excluded"."first_byte_most","excluded"."cited","excluded"."uncited","excluded"."no_sources","excluded"."unavailable");

SELECT "id"
  FROM "audit_events"
  WHERE id IN (@p1,…)

SELECT "id"
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at < @p2
  ORDER BY created_at OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY

SELECT "id"
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at < @p2
  ORDER BY created_at OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY

SELECT "tenant_id","created_at"
  FROM "audit_events"
  ORDER BY tenant_id, created_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT "tenant_id","created_at"
  FROM "audit_events"
  WHERE tenant_id > @p1
  ORDER BY tenant_id, created_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 101 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND ("audit_events"."created_at" <= @p2 AND ("audit_events"."created_at" < @p3 OR "audit_events"."id" < @p4))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND ("audit_events"."created_at" >= @p2 AND ("audit_events"."created_at" > @p3 OR "audit_events"."id" > @p4))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…)
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…)
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…) AND ("audit_events"."created_at" <= @p4 AND ("audit_events"."created_at" < @p5 OR "audit_events"."id" < @p6))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…) AND ("audit_events"."created_at" >= @p4 AND ("audit_events"."created_at" > @p5 OR "audit_events"."id" > @p6))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…) AND result = @p3 AND key_id = @p4 AND assistant_id = @p5 AND created_at >= @p6 AND created_at < @p7
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND action IN (@p1,…) AND result = @p3 AND key_id = @p4 AND assistant_id = @p5 AND created_at >= @p6 AND created_at < @p7
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND assistant_id = @p2
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND ("audit_events"."created_at" <= @p3 AND ("audit_events"."created_at" < @p4 OR "audit_events"."id" < @p5))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND ("audit_events"."created_at" >= @p3 AND ("audit_events"."created_at" > @p4 OR "audit_events"."id" > @p5))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at >= @p2 AND created_at < @p3
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at >= @p2 AND created_at < @p3
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at >= @p2 AND created_at < @p3 AND ("audit_events"."created_at" <= @p4 AND ("audit_events"."created_at" < @p5 OR "audit_events"."id" < @p6))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND created_at >= @p2 AND created_at < @p3 AND ("audit_events"."created_at" >= @p4 AND ("audit_events"."created_at" > @p5 OR "audit_events"."id" > @p6))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND key_id = @p2
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND key_id = @p2
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND key_id = @p2 AND ("audit_events"."created_at" <= @p3 AND ("audit_events"."created_at" < @p4 OR "audit_events"."id" < @p5))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND key_id = @p2 AND ("audit_events"."created_at" >= @p3 AND ("audit_events"."created_at" > @p4 OR "audit_events"."id" > @p5))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND result = @p2 AND result <> 'ok'
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND result = @p2 AND result <> 'ok'
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND result = @p2 AND result <> 'ok' AND ("audit_events"."created_at" <= @p3 AND ("audit_events"."created_at" < @p4 OR "audit_events"."id" < @p5))
  ORDER BY "audit_events"."created_at" DESC,"audit_events"."id" DESC OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT *
  FROM "audit_events"
  WHERE tenant_id = @p1 AND result = @p2 AND result <> 'ok' AND ("audit_events"."created_at" >= @p3 AND ("audit_events"."created_at" > @p4 OR "audit_events"."id" > @p5))
  ORDER BY "audit_events"."created_at","audit_events"."id" OFFSET 0 ROWS FETCH NEXT 8 ROWS ONLY

SELECT begins_at, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1
  GROUP BY "begins_at"
  ORDER BY begins_at OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1 AND begins_at >= @p2 AND begins_at < @p3
  GROUP BY "begins_at"
  ORDER BY begins_at OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1 AND key_id = @p2
  GROUP BY "begins_at"
  ORDER BY begins_at OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, assistant_id, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1
  GROUP BY begins_at, assistant_id
  ORDER BY begins_at, assistant_id OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, assistant_id, key_id, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1
  GROUP BY begins_at, assistant_id, key_id
  ORDER BY begins_at, assistant_id, key_id OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, key_id, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1
  GROUP BY begins_at, key_id
  ORDER BY begins_at, key_id OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY

SELECT begins_at, key_id, SUM(requests) AS requests, SUM(refused) AS refused, SUM(failed) AS failed, SUM(interrupted) AS interrupted, SUM(counted) AS counted, SUM(prompt_tokens) AS prompt_tokens, SUM(completion_tokens) AS completion_tokens, SUM(first_bytes) AS first_bytes, SUM(first_byte_micros) AS first_byte_micros, MAX(first_byte_most) AS first_byte_most, SUM(cited) AS cited, SUM(uncited) AS uncited, SUM(no_sources) AS no_sources, SUM(unavailable) AS unavailable
  FROM "usage_hours"
  WHERE tenant_id = @p1 AND assistant_id = @p2 AND key_id = @p3
  GROUP BY begins_at, key_id
  ORDER BY begins_at, key_id OFFSET 0 ROWS FETCH NEXT 10001 ROWS ONLY
