// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.Payload;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The pinned values are in ledgers: if they change, every redelivery over an upgrade becomes a conflict. */
class FingerprintTest {

    private static final Payload EMPTY = Payload.of(new byte[0], Payload.BINARY);

    @Nested
    class OfBytes {

        private final Fingerprint bytes = Fingerprint.ofBytes();

        @Test
        void staysTheSameForEver() {
            assertThat(bytes.of(Payload.json("{\"orderId\":\"42\"}")))
                    .isEqualTo(UUID.fromString("c770f673-0a33-b0fc-aa62-7c2e2f520587"));
            assertThat(bytes.of(EMPTY)).isEqualTo(UUID.fromString("4bf5122f-3445-54c5-3bde-2ebb8cd2b7e3"));
            assertThat(bytes.of(Payload.tombstone()))
                    .isEqualTo(UUID.fromString("6e340b9c-ffb3-7a98-9ca5-44e6bb780a2c"));
        }

        @Test
        void tellsAnyOtherByteApart() {
            assertThat(bytes.of(Payload.json("{\"a\":1}"))).isNotEqualTo(bytes.of(Payload.json("{\"a\":1} ")));
            assertThat(bytes.of(Payload.json("{\"a\":1}"))).isNotEqualTo(bytes.of(Payload.json("{\"a\":2}")));
        }

        @Test
        void tellsATombstoneFromEmptyBytes() {
            assertThat(bytes.of(Payload.tombstone())).isNotEqualTo(bytes.of(EMPTY));
        }

        @Test
        void doesNotCountTheContentType() {
            assertThat(bytes.of(Payload.of(new byte[] {1}, "a/b")))
                    .isEqualTo(bytes.of(Payload.of(new byte[] {1}, "c/d")));
        }
    }

    @Nested
    class OfFields {

        private final Fingerprint fields = Fingerprint.ofFields("/orderId", "/price/cents");

        @Test
        void staysTheSameForEver() {
            assertThat(of("{\"orderId\":\"42\",\"price\":{\"cents\":5000}}"))
                    .isEqualTo(UUID.fromString("d6ebc3a5-1fdc-c2ae-562f-ddb4fbffbc87"));
            assertThat(of("{\"orderId\":\"42\"}")).isEqualTo(UUID.fromString("109d63b8-b5bd-71ce-dd20-2b18a5e56846"));
        }

        @Test
        void mayBeOfOneFieldOnly() {
            Fingerprint one = Fingerprint.ofFields("/orderId");

            assertThat(one.of(Payload.json("{\"orderId\":1,\"x\":1}")))
                    .isEqualTo(one.of(Payload.json("{\"orderId\":1}")));
            assertThat(one.of(Payload.json("{\"orderId\":1}"))).isNotEqualTo(one.of(Payload.json("{\"orderId\":2}")));
        }

        @Test
        void doesNotCountOtherFieldsNorOrderNorSpace() {
            UUID expected = of("{\"orderId\":\"42\",\"price\":{\"cents\":5000}}");

            assertThat(of("{\"sentAt\":\"now\",\"orderId\":\"42\",\"price\":{\"cents\":5000,\"vat\":19}}"))
                    .isEqualTo(expected);
            assertThat(of("{\"price\":{\"cents\":5000},\"orderId\":\"42\"}")).isEqualTo(expected);
            assertThat(of("{ \"price\" : { \"cents\" : 5000 } ,\n\"orderId\" : \"42\" }"))
                    .isEqualTo(expected);
        }

        @Test
        void tellsOtherValuesApart() {
            UUID expected = of("{\"orderId\":\"42\",\"price\":{\"cents\":5000}}");

            assertThat(of("{\"orderId\":\"43\",\"price\":{\"cents\":5000}}")).isNotEqualTo(expected);
            assertThat(of("{\"orderId\":\"42\",\"price\":{\"cents\":5001}}")).isNotEqualTo(expected);
            assertThat(of("{\"orderId\":42,\"price\":{\"cents\":5000}}")).isNotEqualTo(expected);
        }

        @Test
        void tellsTheFieldsApart() {
            assertThat(of("{\"orderId\":1,\"price\":{\"cents\":2}}"))
                    .isNotEqualTo(of("{\"orderId\":2,\"price\":{\"cents\":1}}"));
            assertThat(of("{\"orderId\":12,\"price\":{\"cents\":3}}"))
                    .isNotEqualTo(of("{\"orderId\":1,\"price\":{\"cents\":23}}"));
            assertThat(of("{\"orderId\":1}")).isNotEqualTo(of("{\"price\":{\"cents\":1}}"));
        }

        @Test
        void tellsMissingFromNull() {
            assertThat(of("{\"orderId\":1}")).isNotEqualTo(of("{\"orderId\":1,\"price\":{\"cents\":null}}"));
            assertThat(of("{}")).isNotEqualTo(of("{\"orderId\":\"\"}"));
        }

        @Test
        void tellsATombstoneFromEmptyBytes() {
            assertThat(fields.of(Payload.tombstone())).isNotEqualTo(fields.of(EMPTY));
        }

        @Test
        void needsAField() {
            assertThatThrownBy(() -> Fingerprint.ofFields())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageStartingWith("identity.fingerprint ");
        }

        @Test
        void needsPointers() {
            assertThatThrownBy(() -> Fingerprint.ofFields("/a", "b")).isInstanceOf(InboxConfigurationException.class);
        }

        private UUID of(String json) {
            return fields.of(Payload.json(json));
        }
    }

    @Test
    void offTellsNothingApart() {
        assertThat(Fingerprint.off().of(Payload.json("{}")))
                .isEqualTo(Fingerprint.off().of(Payload.tombstone()))
                .isEqualTo(new UUID(0, 0));
    }
}
