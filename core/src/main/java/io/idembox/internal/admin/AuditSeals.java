// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.audit.AuditKey;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Seals operations: HMAC-SHA256 over the previous seal and all stored columns of the operation. Pure. */
final class AuditSeals {

    private static final String HMAC = "HmacSHA256";

    private AuditSeals() {}

    /**
     * Returns the seal of an operation, in hexadecimal digits.
     *
     * @param key null to seal without a key, which detects accidental changes but not deliberate ones
     */
    static String seal(@Nullable AuditKey key, String before, OperationRow operationRow) {
        byte[] content = content(before, operationRow);
        try {
            if (key == null) {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(content));
            }
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key.secret(), HMAC));
            return HexFormat.of().formatHex(mac.doFinal(content));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("This Java platform lacks SHA-256 or HmacSHA256", impossible);
        }
    }

    /** Writes every column with its length, so that no two operations have the same content. */
    private static byte[] content(String before, OperationRow operationRow) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            put(out, before);
            out.writeLong(operationRow.number());
            put(out, operationRow.key());
            put(out, operationRow.id());
            put(out, operationRow.kind());
            out.writeInt(operationRow.consumer());
            put(out, operationRow.by());
            put(out, operationRow.role());
            put(out, operationRow.reason());
            put(out, operationRow.filter());
            out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, operationRow.at()));
            out.writeInt(operationRow.asked());
            out.writeInt(operationRow.done());
            out.writeInt(operationRow.arrivals().size());
            for (long arrival : operationRow.arrivals()) {
                out.writeLong(arrival);
            }
            put(out, operationRow.results());
            put(out, operationRow.states());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static void put(DataOutputStream out, @Nullable String text) throws IOException {
        if (text == null) {
            out.writeInt(-1);
        } else {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }
}
