// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Parses the text of a file into elements. Accepts mappings, lists and scalars only: anchors, aliases and tags are
 * refused, because they can expand a short file or name Java classes. The only class that depends on the parser. Not
 * thread-safe.
 */
final class YamlDocument {

    /** Enough for the policies of hundreds of consumers. */
    static final int MAX_CHARACTERS = 256 * 1024;

    private static final int MAX_DEPTH = 20;

    private final Iterator<Event> events;

    /** Thrown when a file is refused as a whole. */
    static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        Refused(int line, String text) {
            super(text);
            this.problem = new Problem(line, text);
        }

        Problem problem() {
            return problem;
        }
    }

    private YamlDocument(Iterator<Event> events) {
        this.events = events;
    }

    /** Parses the file; empty when it has no content. */
    static Optional<Element> read(String text) throws Refused {
        if (text.length() > MAX_CHARACTERS) {
            throw new Refused(0, "the file has " + text.length() + " characters; the maximum is " + MAX_CHARACTERS);
        }
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(MAX_CHARACTERS).build();
        try {
            return new YamlDocument(new Parse(settings).parseString(text).iterator()).singleDocument();
        } catch (MarkedYamlEngineException wrong) {
            int line = wrong.getProblemMark()
                    .or(wrong::getContextMark)
                    .map(Mark::getLine)
                    .orElse(-1);
            throw new Refused(line + 1, "this is not YAML: " + wrong.getProblem());
        } catch (YamlEngineException wrong) {
            throw new Refused(0, "this is not YAML: " + wrong.getMessage());
        } catch (IllegalArgumentException | IndexOutOfBoundsException escaped) {
            // The parser throws these for escapes of invalid code points.
            throw new Refused(0, "this is not YAML: an escape is not a valid character");
        } catch (StackOverflowError deep) {
            throw new Refused(0, "the file is nested too deeply");
        }
    }

    private Optional<Element> singleDocument() throws Refused {
        Element found = null;
        while (events.hasNext()) {
            Event next = events.next();
            switch (next.getEventId()) {
                case StreamStart, StreamEnd, DocumentStart, DocumentEnd, Comment -> {
                    // No content.
                }
                default -> {
                    if (found != null) {
                        throw new Refused(lineOf(next), "a second document is not allowed; put everything into one");
                    }
                    found = element(next, 1);
                }
            }
        }
        return Optional.ofNullable(found)
                .filter(element -> !(element instanceof Element.Scalar scalar
                        && scalar.text().isBlank()));
    }

    private Element element(Event event, int depth) throws Refused {
        int line = lineOf(event);
        if (depth > MAX_DEPTH) {
            throw new Refused(line, "the file is nested deeper than " + MAX_DEPTH + " levels");
        }
        check(event, line);
        return switch (event.getEventId()) {
            case Scalar -> new Element.Scalar(line, ((ScalarEvent) event).getValue());
            case SequenceStart -> items(line, depth);
            case MappingStart -> section(line, depth);
            default -> throw new Refused(line, "unexpected here: " + event.getEventId());
        };
    }

    private static void check(Event event, int line) throws Refused {
        if (event instanceof AliasEvent
                || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
            throw new Refused(line, "anchors and aliases (& and *) are not allowed; write the value out");
        }
        Optional<String> tag = Optional.empty();
        if (event instanceof ScalarEvent scalar) {
            tag = scalar.getTag();
        } else if (event instanceof CollectionStartEvent collection) {
            tag = collection.getTag();
        }
        if (tag.isPresent()) {
            throw new Refused(line, "tags are not allowed: " + tag.get());
        }
    }

    private Element items(int line, int depth) throws Refused {
        List<Element> all = new ArrayList<>();
        for (Event next = next(); next.getEventId() != Event.ID.SequenceEnd; next = next()) {
            all.add(element(next, depth + 1));
        }
        return new Element.Items(line, all);
    }

    private Element section(int line, int depth) throws Refused {
        Map<String, Element.Entry> entries = new LinkedHashMap<>();
        for (Event next = next(); next.getEventId() != Event.ID.MappingEnd; next = next()) {
            if (!(element(next, depth + 1) instanceof Element.Scalar key)) {
                throw new Refused(lineOf(next), "a key must be a single value, not a list or a section");
            }
            Element.Entry before =
                    entries.put(key.text(), new Element.Entry(key.line(), key.text(), element(next(), depth + 1)));
            if (before != null) {
                throw new Refused(key.line(), key.text() + " is a duplicate key; first used in line " + before.line());
            }
        }
        return new Element.Section(line, entries);
    }

    private Event next() {
        Event next = events.next();
        while (next.getEventId() == Event.ID.Comment) {
            next = events.next();
        }
        return next;
    }

    private static int lineOf(Event event) {
        return event.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    }
}
