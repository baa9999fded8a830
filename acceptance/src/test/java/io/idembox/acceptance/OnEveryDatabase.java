// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the whole class once per database. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ParameterizedClass(name = "on {0}")
@MethodSource("io.idembox.acceptance.TestDatabase#kinds")
@interface OnEveryDatabase {}
