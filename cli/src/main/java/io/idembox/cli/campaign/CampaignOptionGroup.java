// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.CampaignOptions;
import io.idembox.cli.call.CommandException;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options for the pace of a campaign and its failure threshold. */
public final class CampaignOptionGroup {

    @Option(
            names = "--canary",
            paramLabel = "N",
            description = "Process N messages first; continue with the rest when these succeed.")
    @Nullable
    Integer canary;

    @Option(
            names = "--rate",
            paramLabel = "N/s",
            converter = RateConverter.class,
            description = "Maximum messages per second, such as 50/s. Default: unlimited.")
    @Nullable
    Integer perSecond;

    @Option(
            names = "--stop-on-failures",
            paramLabel = "SHARE",
            converter = ShareConverter.class,
            description =
                    "Stop when more than this share of messages failed, such as 5%%; 100%% to never stop. Default: 10%%.")
    @Nullable
    Double stopAbove;

    /** Whether any of these options is given. */
    public boolean isGiven() {
        return canary != null || perSecond != null || stopAbove != null;
    }

    public CampaignOptions pace() {
        try {
            CampaignOptions options = CampaignOptions.defaults();
            options = canary == null ? options : options.canary(canary);
            options = perSecond == null ? options : options.perSecond(perSecond);
            return stopAbove == null ? options : options.stopAbove(stopAbove);
        } catch (IllegalArgumentException notMeant) {
            throw CommandException.usage(String.valueOf(notMeant.getMessage()));
        }
    }

    /** {@code 50/s}. */
    static final class RateConverter implements ITypeConverter<Integer> {

        private static final Pattern RATE = Pattern.compile("([1-9]\\d{0,6})/s");

        @Override
        public Integer convert(String text) {
            Matcher matcher = RATE.matcher(text.strip());
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is not a rate such as 50/s");
            }
            return Integer.valueOf(matcher.group(1));
        }
    }

    /** {@code 10%}, {@code 0.5%}. */
    static final class ShareConverter implements ITypeConverter<Double> {

        private static final Pattern SHARE = Pattern.compile("(\\d{1,3}(\\.\\d{1,3})?)%");
        private static final BigDecimal ALL = BigDecimal.valueOf(100);

        @Override
        public Double convert(String text) {
            Matcher matcher = SHARE.matcher(text.strip());
            if (!matcher.matches() || new BigDecimal(matcher.group(1)).compareTo(ALL) > 0) {
                throw new TypeConversionException("'" + text + "' is not a share between 0% and 100%");
            }
            return new BigDecimal(matcher.group(1)).movePointLeft(2).doubleValue();
        }
    }
}
