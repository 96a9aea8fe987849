DELETE FROM "idempotency_keys"
  WHERE (tenant_id = @p1 AND key_hash = @p2) AND expires_at <= @p3

DELETE FROM "idempotency_keys"
  WHERE expires_at <= @p1

DELETE FROM "idempotency_keys"
  WHERE tenant_id = @p1 AND key_hash = @p2 AND revision = @p3 AND status = 0

MERGE INTO "idempotency_keys" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9,@p10,@p11)) AS excluded ("tenant_id","key_hash","fingerprint","resources","attempt","status","body","lease_until","revision","created_at","expires_at")
  ON "idempotency_keys"."tenant_id" = "excluded"."tenant_id" AND "idempotency_keys"."key_hash" = "excluded"."key_hash"
  WHEN NOT MATCHED THEN INSERT ("tenant_id","key_hash","fingerprint","resources","attempt","status","body","lease_until","revision","created_at","expires_at")
  VALUES ("excluded"."tenant_id","excluded"."key_hash","excluded"."fingerprint","excluded"."resources","excluded"."attempt","excluded"."status","excluded"."body","excluded"."lease_until","excluded"."revision","excluded"."created_at","excluded"."expires_at");

SELECT *
  FROM "idempotency_keys"
  WHERE tenant_id = @p1 AND key_hash = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

SELECT *
  FROM "idempotency_keys"
  WHERE tenant_id = @p1 AND key_hash = @p2 AND status <> 0 AND expires_at >= @p3
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

UPDATE "idempotency_keys"
  SET "attempt"=@p1,"lease_until"=@p2,"revision"=@p3
  WHERE (tenant_id = @p4 AND key_hash = @p5) AND revision = @p6

UPDATE "idempotency_keys"
  SET "body"=@p1,"revision"=@p2,"status"=@p3
  WHERE tenant_id = @p4 AND key_hash = @p5 AND revision = @p6 AND status = 0

UPDATE "idempotency_keys"
  SET "lease_until"=@p1,"revision"=@p2
  WHERE tenant_id = @p3 AND key_hash = @p4 AND revision = @p5 AND status = 0
