// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.Failure;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import io.idembox.policy.SequenceNumber;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings that are code in Java and a choice in a file: identity, sequence number, fingerprint and exception
 * rules. Stateless; a wrong value is an {@link IllegalArgumentException} whose message continues the path of the key.
 */
final class Choices {

    private static final String IDENTITIES =
            "must be one of standard, cloud-events, message, position, { headers: [ name ] }, { json-field: /pointer }, a list"
                    + " of these (the first that finds an id is used), or { by-type: { type: one of these }, otherwise:"
                    + " one of these }";

    private Choices() {}

    static Identity identity(Element element) {
        if (element instanceof Element.Items items && !items.all().isEmpty()) {
            return items.all().stream()
                    .map(Choices::identity)
                    .reduce(Identity::or)
                    .orElseThrow();
        }
        if (element instanceof Element.Scalar scalar) {
            return switch (scalar.text()) {
                case "standard" -> Identity.standard();
                case "cloud-events" -> Identity.cloudEvents();
                case "message" -> Identity.ofMessage();
                case "position" -> Identity.position();
                default -> throw new IllegalArgumentException(IDENTITIES + ", not " + Scalars.quoted(scalar.text()));
            };
        }
        if (element instanceof Element.Section section && section.entries().containsKey("by-type")) {
            return identityByType(options(element, Set.of("by-type", "otherwise"), IDENTITIES));
        }
        Map<String, Element> said = options(element, Set.of("headers", "json-field", "with-type"), IDENTITIES);
        Element headers = said.get("headers");
        Element field = said.get("json-field");
        if ((headers == null) == (field == null)) {
            throw new IllegalArgumentException(IDENTITIES);
        }
        Identity found = headers == null
                ? Identity.jsonField(text(field, "json-field"))
                : Identity.headers(texts(headers, "headers").toArray(new String[0]));
        Element withType = said.get("with-type");
        return withType != null && Scalars.bool(text(withType, "with-type")) ? found.withType() : found;
    }

    private static Identity identityByType(Map<String, Element> said) {
        if (!(said.get("by-type") instanceof Element.Section types)
                || types.entries().isEmpty()) {
            throw new IllegalArgumentException("needs event types and their identity strategies below by-type");
        }
        Element otherwise = said.get("otherwise");
        Identity identity = otherwise == null ? Identity.standard() : identity(otherwise);
        for (Element.Entry type : types.entries().values()) {
            identity = identity.forType(type.key(), identity(type.value()));
        }
        return identity;
    }

    static SequenceNumber sequence(Element element) {
        String choices = "must be { header: name } or { json-field: /pointer }";
        Map<String, Element> said = options(element, Set.of("header", "json-field"), choices);
        if (said.size() != 1) {
            throw new IllegalArgumentException(choices);
        }
        Element header = said.get("header");
        return header == null
                ? SequenceNumber.jsonField(text(said.get("json-field"), "json-field"))
                : SequenceNumber.header(text(header, "header"));
    }

    static Fingerprint fingerprint(Element element) {
        String choices = "must be bytes, off, or { fields: [ /pointer ] }";
        if (element instanceof Element.Scalar scalar) {
            return switch (scalar.text()) {
                case "bytes" -> Fingerprint.ofBytes();
                case "off" -> Fingerprint.off();
                default -> throw new IllegalArgumentException(choices + ", not " + Scalars.quoted(scalar.text()));
            };
        }
        Element fields = options(element, Set.of("fields"), choices).get("fields");
        return Fingerprint.ofFields(texts(fields, "fields").toArray(new String[0]));
    }

    /** Exception classes are loaded but not initialized: naming a class in a file runs no code. */
    static Map<Class<? extends Throwable>, Failure.Kind> rules(Element element) {
        if (!(element instanceof Element.Section section)) {
            throw new IllegalArgumentException("must be a section of exception classes and their kinds");
        }
        Map<Class<? extends Throwable>, Failure.Kind> rules = new LinkedHashMap<>();
        for (Element.Entry entry : section.entries().values()) {
            rules.put(exception(entry.key()), (Failure.Kind)
                    Scalars.enumConstant(text(entry.value(), entry.key()), Failure.Kind.class));
        }
        return rules;
    }

    private static Class<? extends Throwable> exception(String name) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            Class<?> found = Class.forName(name, false, context == null ? Choices.class.getClassLoader() : context);
            if (Throwable.class.isAssignableFrom(found)) {
                return found.asSubclass(Throwable.class);
            }
        } catch (ClassNotFoundException | LinkageError unknown) {
            throw new IllegalArgumentException("names a class that was not found: " + Scalars.quoted(name), unknown);
        }
        throw new IllegalArgumentException("names a class that is not an exception: " + Scalars.quoted(name));
    }

    private static Map<String, Element> options(Element element, Set<String> known, String choices) {
        if (!(element instanceof Element.Section section)
                || !known.containsAll(section.entries().keySet())) {
            throw new IllegalArgumentException(choices);
        }
        Map<String, Element> options = new LinkedHashMap<>();
        section.entries().values().forEach(entry -> options.put(entry.key(), entry.value()));
        return options;
    }

    private static List<String> texts(@Nullable Element element, String key) {
        if (!(element instanceof Element.Items items) || items.all().isEmpty()) {
            throw new IllegalArgumentException("needs a list such as [ one, two ] for " + key);
        }
        List<String> texts = new ArrayList<>();
        items.all().forEach(each -> texts.add(text(each, key)));
        return texts;
    }

    private static String text(@Nullable Element element, String key) {
        if (element instanceof Element.Scalar scalar && !scalar.text().isBlank()) {
            return scalar.text();
        }
        throw new IllegalArgumentException("needs a value for " + key);
    }
}
