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
 * Turns the text of a file into elements. Of YAML it takes sections, lists and scalars: no anchors, aliases and tags, by which a
 * short file becomes a large one or names Java classes. The only class that knows the parser. Not thread-safe.
 */
final class YamlDocument {

    /** Policies of hundreds of consumers are shorter than that. */
    static final int MOST_CHARACTERS = 256 * 1024;

    private static final int DEEPEST = 20;

    private final Iterator<Event> events;

    /** A file that is not taken at all. */
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

    /** The sections of the file; empty when there is nothing in it. */
    static Optional<Element> read(String text) throws Refused {
        if (text.length() > MOST_CHARACTERS) {
            throw new Refused(
                    0,
                    "the file has " + text.length() + " characters; a file of policies has at most " + MOST_CHARACTERS);
        }
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(MOST_CHARACTERS).build();
        try {
            return new YamlDocument(new Parse(settings).parseString(text).iterator()).only();
        } catch (MarkedYamlEngineException wrong) {
            int line = wrong.getProblemMark()
                    .or(wrong::getContextMark)
                    .map(Mark::getLine)
                    .orElse(-1);
            throw new Refused(line + 1, "this is not YAML: " + wrong.getProblem());
        } catch (YamlEngineException wrong) {
            throw new Refused(0, "this is not YAML: " + wrong.getMessage());
        } catch (IllegalArgumentException | IndexOutOfBoundsException escaped) {
            // Characters that are written as numbers: of some that are none the parser says nothing of its own.
            throw new Refused(0, "this is not YAML: a character is written by a number that none has");
        } catch (StackOverflowError deep) {
            throw new Refused(0, "the file is nested too deeply");
        }
    }

    private Optional<Element> only() throws Refused {
        Element found = null;
        while (events.hasNext()) {
            Event next = events.next();
            switch (next.getEventId()) {
                case StreamStart, StreamEnd, DocumentStart, DocumentEnd, Comment -> {
                    // Nothing is said by them.
                }
                default -> {
                    if (found != null) {
                        throw new Refused(lineOf(next), "there is a second document; put everything into one");
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
        if (depth > DEEPEST) {
            throw new Refused(line, "the file is nested deeper than " + DEEPEST + " levels");
        }
        check(event, line);
        return switch (event.getEventId()) {
            case Scalar -> new Element.Scalar(line, ((ScalarEvent) event).getValue());
            case SequenceStart -> items(line, depth);
            case MappingStart -> section(line, depth);
            default -> throw new Refused(line, "this is not expected here: " + event.getEventId());
        };
    }

    private static void check(Event event, int line) throws Refused {
        if (event instanceof AliasEvent
                || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
            throw new Refused(line, "anchors and aliases (& and *) are not taken; write it out");
        }
        Optional<String> tag = Optional.empty();
        if (event instanceof ScalarEvent scalar) {
            tag = scalar.getTag();
        } else if (event instanceof CollectionStartEvent collection) {
            tag = collection.getTag();
        }
        if (tag.isPresent()) {
            throw new Refused(line, "tags are not taken: " + tag.get());
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
                throw new Refused(lineOf(next), "a key is a word, not a list or a section");
            }
            Element.Entry before =
                    entries.put(key.text(), new Element.Entry(key.line(), key.text(), element(next(), depth + 1)));
            if (before != null) {
                throw new Refused(key.line(), key.text() + " is there twice; the first time in line " + before.line());
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
