// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Payload;
import io.idembox.spi.PayloadCodec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CodecsTest {

    private static final String[] JACKSON_2 = {
        "com.fasterxml.jackson.databind.ObjectMapper",
        "com.fasterxml.jackson.core.JsonParser",
        "com.fasterxml.jackson.annotation.JsonCreator"
    };
    private static final String[] JACKSON_3 = {
        "tools.jackson.databind.ObjectMapper",
        "tools.jackson.core.JsonParser",
        "com.fasterxml.jackson.annotation.JsonCreator"
    };
    private static final String[] NOTHING = {};

    @Test
    void theNewestIsTakenWhereBothAreThere() {
        PayloadCodec codec = Codecs.find();

        assertThat(codec).isInstanceOf(io.idembox.codec.jackson3.JacksonCodec.class);
        assertThat(codec.read(Payload.json("[1]"), int[].class)).containsExactly(1);
    }

    @Test
    void eitherIsFoundAlone() throws Exception {
        assertThat(foundWith(JACKSON_2)).isEqualTo("io.idembox.codec.jackson2.JacksonCodec");
        assertThat(foundWith(JACKSON_3)).isEqualTo("io.idembox.codec.jackson3.JacksonCodec");
    }

    @Test
    void withoutJacksonNothingIsRead() throws Throwable {
        try (URLClassLoader loader = with(NOTHING)) {
            Object codec = findIn(loader);
            Class<?> spi = loader.loadClass("io.idembox.spi.PayloadCodec");
            Class<?> payloads = loader.loadClass("io.idembox.Payload");
            Object payload = payloads.getMethod("json", String.class).invoke(null, "\"secret\"");
            Method reads = spi.getMethod("reads", Class.class);
            Method read = spi.getMethod("read", payloads, Class.class);
            Method write = spi.getMethod("write", Object.class);

            assertThat(invoke(reads, codec, Integer.class)).isEqualTo(false);
            assertThatThrownBy(() -> invoke(read, codec, payload, Integer.class))
                    .hasToString("io.idembox.InboxConfigurationException: There is no codec to read a Integer");
            assertThatThrownBy(() -> invoke(write, codec, 1))
                    .hasToString("io.idembox.InboxConfigurationException: There is no codec to write a Integer");
        }
    }

    private static String foundWith(String[] jackson) throws Exception {
        try (URLClassLoader loader = with(jackson)) {
            return findIn(loader).getClass().getName();
        }
    }

    private static Object findIn(ClassLoader loader) throws Exception {
        Method find = loader.loadClass("io.idembox.internal.Codecs").getDeclaredMethod("find");
        find.setAccessible(true);
        return find.invoke(null);
    }

    private static Object invoke(Method method, Object target, Object... args) throws Throwable {
        method.setAccessible(true);
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }

    /** Sees core and the jars of these classes, and nothing else of the class path. */
    private static URLClassLoader with(String[] classes) {
        URL[] urls = Stream.concat(Stream.of("io.idembox.internal.Codecs"), Stream.of(classes))
                .map(CodecsTest::jarOf)
                .toArray(URL[]::new);
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static URL jarOf(String name) {
        try {
            return Class.forName(name).getProtectionDomain().getCodeSource().getLocation();
        } catch (ClassNotFoundException missing) {
            throw new AssertionError(name + " has to be on the class path of this test", missing);
        }
    }
}
