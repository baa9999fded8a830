// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMembers;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules between the rooms. Each rule is made for a root package, so that it can be held against core, which must
 * keep it, and against {@code fixture.broken}, which breaks it on purpose: a rule that cannot fail guards nothing.
 */
class RoomsTest {
    private static final String ROOT = "io.idembox";
    private static final String BROKEN = "io.idembox.fixture.broken";

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(BROKEN);

    /** What it takes to run a statement. A connection alone is only the transaction, handed through. */
    private static final DescribedPredicate<JavaClass> STATEMENTS_AND_ROWS = JavaClass.Predicates.belongToAnyOf(
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            ResultSet.class,
            ResultSetMetaData.class);

    private static final ArchCondition<JavaClass> BE_NULL_MARKED = new ArchCondition<>("be in a @NullMarked package") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
            boolean marked = type.getPackage()
                    .tryGetPackageInfo()
                    .filter(info -> info.isAnnotatedWith(NullMarked.class))
                    .isPresent();
            events.add(new SimpleConditionEvent(type, marked, type.getFullName() + " is in an unmarked package"));
        }
    };

    private enum Rule {
        ENGINE_KNOWS_NO_SQL("EngineSpeaksSql", "EngineOpensConnections", "EngineKnowsTheStore") {
            @Override
            ArchRule in(String root) {
                return noClasses()
                        .that()
                        .resideInAPackage(root + ".internal.engine..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(root + ".internal.jdbc..", "javax.sql..")
                        .orShould()
                        .dependOnClassesThat(STATEMENTS_AND_ROWS)
                        .because("the engine decides; it never speaks SQL");
            }
        },
        API_SHOWS_NOTHING_INTERNAL("ShowsInternals.returned", "ShowsInternals.taken", "ShowsInternals.hidden") {
            @Override
            ArchRule in(String root) {
                return noMembers()
                        .that()
                        .arePublic()
                        .or()
                        .areProtected()
                        .and()
                        .areDeclaredInClassesThat()
                        .arePublic()
                        .and()
                        .areDeclaredInClassesThat()
                        .resideOutsideOfPackage(root + ".internal..")
                        .should(showTypesOf(root + ".internal.."))
                        .because("a user never sees an internal type, not even in a signature");
            }
        },
        SQL_STAYS_IN_ITS_ROOM("PolicyReadsRows", "EngineSpeaksSql") {
            @Override
            ArchRule in(String root) {
                return noClasses()
                        .that()
                        .resideOutsideOfPackages(root + ".internal.jdbc..", root + ".internal.connection..")
                        .should()
                        .dependOnClassesThat(STATEMENTS_AND_ROWS)
                        .because(
                                "all SQL of the product is in internal.jdbc; internal.connection only wraps a handler's");
            }
        },
        ONLY_THE_ASSEMBLY_KNOWS_THE_STORE("EventKnowsTheStore", "EngineKnowsTheStore") {
            @Override
            ArchRule in(String root) {
                return noClasses()
                        .that()
                        .resideOutsideOfPackages(root + ".internal", root + ".internal.jdbc..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(root + ".internal.jdbc..");
            }
        },
        JACKSON_STAYS_IN_ITS_CODEC("SpiWritesJackson2", "Jackson2KnowsJackson3") {
            @Override
            ArchRule in(String root) {
                ArchRule jackson2 = noClasses()
                        .that()
                        .resideOutsideOfPackage(root + ".codec.jackson2..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..");
                ArchRule jackson3 = noClasses()
                        .that()
                        .resideOutsideOfPackage(root + ".codec.jackson3..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("tools.jackson..");
                return CompositeArchRule.of(jackson2)
                        .and(jackson3)
                        .because("Jackson is optional, and either one may be missing");
            }
        },
        ROOMS_FORM_NO_CYCLE("Red", "Blue") {
            @Override
            ArchRule in(String root) {
                return slices().matching(root + ".internal.(*)..").should().beFreeOfCycles();
            }
        },
        NULL_IS_MARKED("Red", "Blue") {
            @Override
            ArchRule in(String root) {
                return classes()
                        .should(BE_NULL_MARKED)
                        .because("NullAway looks only at packages whose package-info says @NullMarked");
            }
        },
        CORE_LOGS_THROUGH_SLF4J("Prints", "LogsByJdk") {
            @Override
            ArchRule in(String root) {
                return noClasses()
                        .should(ACCESS_STANDARD_STREAMS)
                        .orShould()
                        .dependOnClassesThat()
                        .resideInAPackage("java.util.logging..");
            }
        };

        private final List<String> offenders;

        Rule(String... offenders) {
            this.offenders = List.of(offenders);
        }

        abstract ArchRule in(String root);
    }

    @Test
    void coreIsThere() {
        assertThat(CORE)
                .extracting(JavaClass::getName)
                .contains("io.idembox.Message")
                .noneMatch(n -> n.contains("fixture"));
    }

    @ParameterizedTest
    @EnumSource
    void coreKeepsTheRule(Rule rule) {
        rule.in(ROOT).allowEmptyShould(true).check(CORE);
    }

    @ParameterizedTest
    @EnumSource
    void everyOffenderIsCaught(Rule rule) {
        List<String> report = failures(rule);

        for (String offender : rule.offenders) {
            assertThat(report).as(offender).anyMatch(line -> line.contains("." + offender));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSoundAreLeftAlone(Rule rule) {
        assertThat(failures(rule)).noneMatch(line -> line.contains(".Sound") || line.contains(".sound"));
    }

    private static List<String> failures(Rule rule) {
        return rule.in(BROKEN).evaluate(FIXTURE).getFailureReport().getDetails();
    }

    private static ArchCondition<JavaMember> showTypesOf(String packageIdentifier) {
        DescribedPredicate<JavaClass> hidden = JavaClass.Predicates.resideInAPackage(packageIdentifier);
        return new ArchCondition<>("show types of " + packageIdentifier) {
            @Override
            public void check(JavaMember member, ConditionEvents events) {
                boolean shows = member.getAllInvolvedRawTypes().stream().anyMatch(hidden);
                events.add(new SimpleConditionEvent(member, shows, member.getDescription()));
            }
        };
    }
}
