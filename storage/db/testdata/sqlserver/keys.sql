DELETE FROM "limit_minutes"
  WHERE told_at < @p1

DELETE FROM "limit_months"
  WHERE begins_at < @p1

INSERT INTO "api_keys" ("id","tenant_id","name","prefix","key_hash","scopes","assistants","default_assistant","created_at","expires_at","revoked_at","limits")
  VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11,@p12);

MERGE INTO "limit_months" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5)) AS excluded ("tenant_id","subject_id","begins_at","requests","tokens")
  ON "limit_months"."tenant_id" = "excluded"."tenant_id" AND "limit_months"."subject_id" = "excluded"."subject_id" AND "limit_months"."begins_at" = "excluded"."begins_at"
  WHEN MATCHED THEN UPDATE SET "requests"="limit_months"."requests" + "excluded"."requests","tokens"="limit_months"."tokens" + "excluded"."tokens"
  WHEN NOT MATCHED THEN INSERT ("tenant_id","subject_id","begins_at","requests","tokens")
  VALUES ("excluded"."tenant_id","excluded"."subject_id","excluded"."begins_at","excluded"."requests","excluded"."tokens");

MERGE INTO limit_minutes WITH (HOLDLOCK)
  USING (VALUES (@p1, @p2, '', @p3)) AS excluded (tenant_id,subject_id,uses,told_at)
  ON limit_minutes.tenant_id = excluded.tenant_id AND limit_minutes.subject_id = excluded.subject_id
  WHEN MATCHED THEN UPDATE SET told_at = SYSDATETIMEOFFSET()
  WHEN NOT MATCHED THEN INSERT (tenant_id,subject_id,uses,told_at)
  VALUES (excluded.tenant_id,excluded.subject_id,excluded.uses,excluded.told_at);

SELECT *
  FROM "api_keys"
  WHERE prefix = @p1
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "api_keys"
  WHERE tenant_id = @p1
  ORDER BY "api_keys"."created_at","api_keys"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "api_keys"
  WHERE tenant_id = @p1 AND ("api_keys"."created_at" > @p2 OR ("api_keys"."created_at" = @p3 AND "api_keys"."id" > @p4))
  ORDER BY "api_keys"."created_at","api_keys"."id" OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY

SELECT *
  FROM "api_keys"
  WHERE tenant_id = @p1 AND id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "limit_months"
  WHERE (tenant_id = @p1 AND subject_id = @p2 AND begins_at = @p3) AND "limit_months"."tenant_id" = @p4 AND "limit_months"."subject_id" = @p5 AND "limit_months"."begins_at" = @p6
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT tenant_id, subject_id, uses, SYSDATETIMEOFFSET() AS told_at
  FROM "limit_minutes"
  WHERE tenant_id = @p1 AND subject_id = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

UPDATE "api_keys"
  SET "name"=@p1,"limits"=@p2
  WHERE tenant_id = @p3 AND id = @p4

UPDATE "api_keys"
  SET "name"=name
  WHERE tenant_id = @p1 AND id = @p2

UPDATE "api_keys"
  SET "revoked_at"=@p1
  WHERE tenant_id = @p2 AND id = @p3 AND revoked_at IS NULL

UPDATE "limit_minutes"
  SET "told_at"=@p1,"uses"=@p2
  WHERE tenant_id = @p3 AND subject_id = @p4
