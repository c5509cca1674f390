// How a text becomes instructions (imagebuilder/dockerfile/parser). Expectations are what that parser answers.

#include <doctest/doctest.h>

#include "dockerfile.hpp"
#include "rules/dockerfile/substitution.hpp"
#include "rules/dockerfile/words.hpp"

using namespace podfence::tests::dockerfile;

TEST_CASE("an instruction becomes one line") {
  struct Row {
    std::string_view lines, expected;
  };
  const Row rows[] = {
      {"run  echo a", "RUN echo a\n"},
      {"\tRuN\techo\ta\t", "RUN echo\ta\n"},
      {"RUN a \\\n  b", "RUN a   b\n"},
      {"RUN a \\  \t\n\n\n  # c \\\n#d\n b\nCMD c", "RUN a  b\nCMD c\n"},
      {"RUN a \\", "RUN a\n"},
      {"RUN a \\\n\n", "RUN a\n"},
      {"RU\\\nN a", "RUN a\n"},
      {"RUN a\\\r\n b\r\nCMD c\r", "RUN a b\nCMD c\n"},
      {"\u00a0RUN a\u2003", "RUN a\n"},
      {"RUN a # b", "RUN a # b\n"},
      {"RUN -- --x", "RUN -- --x\n"},
      {"RUN -- a", "RUN a\n"},
      {"CMD [ \"a\" ] && b", "CMD [ \"a\" ] && b\n"},
      {"COPY --chown='1:2' a b", "COPY --chown=1:2 a b\n"},
      {"COPY --ch\\own=1 a b", "COPY --chown=1 a b\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.lines);
    CHECK(below(row.lines) == row.expected);
    CHECK(below(row.lines, podman_4) == row.expected);
  }
}

TEST_CASE("texts that could be read in two ways, or not at all, are refused by line") {
  struct Row {
    std::string_view lines, expected;
  };
  const std::string long_line = "RUN " + std::string(60'001, 'x');
  const std::string long_instruction = "RUN " + std::string(40'000, 'x') + "\\\n" + std::string(40'000, 'x');
  const std::string joined = "RUN a \\\\\n\n";  // the first backslash is left at the end
  const Row rows[] = {
      {"RUN a\x01", "dockerfile.text: line 2: a control character"},
      {"RUN a\rb", "dockerfile.text: line 2: a control character"},
      {"RUN a\x0b", "dockerfile.text: line 2: a control character"},
      {"RUN a\x7f", "dockerfile.text: line 2: a control character"},
      {"RUN \xff", "dockerfile.text: it is not UTF-8"},
      {"ADD \ufeffhttp://127.0.0.1/x /y", "dockerfile.text: line 2: a byte order mark"},
      {"ADD \ufeff$X /y", "dockerfile.text: line 2: a byte order mark"},
      {"ONBUILD ADD \ufeffhttp://127.0.0.1/x /y", "dockerfile.text: line 2: a byte order mark"},
      {joined, "dockerfile.text: line 2: it ends with a backslash"},
      {"RUN a \\\u00a0\nRUN b", "dockerfile.text: line 2: it ends with a backslash"},
      {"\nFOO a", "dockerfile.instruction: line 3: FOO"},
      {"RUN\u00a0a", "dockerfile.instruction: line 2: RUN\u00a0a"},
      {"WOR\u212aDIR /a", "dockerfile.instruction: line 2: WOR\u212aDIR"},
      {"\\", "dockerfile.instruction: line 2: "},
      {"ARG", "dockerfile.syntax: line 2: ARG"},
      {"RUN --", "dockerfile.syntax: line 2: RUN --"},
      {"ENV a", "dockerfile.syntax: line 2: ENV a"},
      {"ENV a=b c", "dockerfile.syntax: line 2: ENV a=b c"},
      {"LABEL a", "dockerfile.syntax: line 2: LABEL a"},
      {"COPY a", "dockerfile.syntax: line 2: COPY a"},
      {"COPY [\"a\", \"b\"] c", "dockerfile.text: line 2: COPY [\"a\", \"b\"] c"},
      {"COPY [\"a\" \"b\"]", "dockerfile.text: line 2: COPY [\"a\" \"b\"]"},
      {"COPY --chown=\u00e9 a b", "dockerfile.text: line 2: COPY --chown=\u00e9 a b"},
      {long_line, "dockerfile.too-large: line 2: a line"},
      {long_instruction, "dockerfile.too-large: line 3: an instruction"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.lines.substr(0, 60));
    CHECK(below(row.lines) == row.expected);
  }
}

TEST_CASE("the escape directive is followed, and left out") {
  const std::string from = "FROM " + std::string(64, 'b') + "\n";
  struct Row {
    std::string_view text, expected;
  };
  const std::string two = from + "RUN a b\n", windows = from + "RUN echo C:\\x\n";
  const Row rows[] = {
      {"# escape=`\nFROM localhost/bb\nRUN a `\nb", two},
      {"#\tESCAPE = ` and more\nFROM localhost/bb\nRUN a `\nb", two},
      {"# escape=\\\nFROM localhost/bb\nRUN a \\\nb", two},
      {"# escape=`\nFROM localhost/bb\nRUN echo C:\\x", windows},
      // Not a directive any more: behind another comment, as this builder has it, and behind an empty line.
      {"# syntax=x\n# escape=`\nFROM localhost/bb\nRUN a \\\nb", two},
      {"\n# escape=`\nFROM localhost/bb\nRUN a \\\nb", two},
      {"# escape=x\nFROM localhost/bb", "dockerfile.syntax: line 1: the escape directive"},
      {"# escape=`\n# escape=`\nFROM localhost/bb", "dockerfile.syntax: line 2: the escape directive"},
      {"# escape=`\nFROM localhost/bb\nRUN dir C:\\", "dockerfile.text: line 3: it ends with a backslash"},
      {"# escape=`\nFROM localhost/bb\nENV A=C:\\x", "dockerfile.escape: line 3: A=C:\\x"},
      {"# escape=`\nFROM localhost/bb\nENV A=a` b", "dockerfile.escape: line 3: A=a` b"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(canonical(row.text, options()) == row.expected);
  }
}

TEST_CASE("here-documents stay as they are, where the engine knows them and the line is plain") {
  struct Row {
    std::string_view lines, expected;
  };
  const Row kept[] = {
      {"RUN <<EOF\na\nRUN b\\\nEOF\nCMD c", "RUN <<EOF\na\nRUN b\\\nEOF\nCMD c\n"},
      {"RUN cat <<-'A' > x && cat <<\"B\"\n a\n\tA\nb\n\tB\nB",
       "RUN cat <<-'A' > x && cat <<\"B\"\n a\nA\nb\n\tB\nB\n"},
      {"RUN cat <<EOF > $HOME/${X}\nEOF", "RUN cat <<EOF > $HOME/${X}\nEOF\n"},
  };
  for (const auto& row : kept) {
    CAPTURE(row.lines);
    CHECK(below(row.lines) == row.expected);
    CHECK(rule_of(below(row.lines, podman_4)) == "dockerfile.heredoc");
  }
  const std::string_view none[] = {"RUN cat <<<x",
                                   "RUN echo $((1<<2))",
                                   "RUN a<<EOF",
                                   "RUN cat << EOF",
                                   "RUN echo \"a <<EOF\"",
                                   "RUN [\"a\",\"<<EOF\"]",
                                   "CMD cat <<EOF",
                                   "RUN echo 'it <<E'",
                                   "RUN echo \"${A:-b} <<EOF\"",
                                   "RUN sed 's/\\./x/' ${A:-b} < in",
                                   "RUN echo a\\ b < in"};
  for (const auto line : none) {
    CAPTURE(line);
    CHECK(below(line) == std::string(line) + "\n");
    CHECK(below(line, podman_4) == std::string(line) + "\n");
  }
  const Row refused[] = {
      {"COPY <<EOF /x\na\nEOF", "dockerfile.heredoc"},
      {"ADD <<EOF /x\na\nEOF", "dockerfile.heredoc"},
      {"ONBUILD RUN <<EOF\na\nEOF", "dockerfile.heredoc"},
      {"RUN <<EOF\na", "dockerfile.syntax"},
      {"RUN cat <<EOF>x\nEOF", "dockerfile.text"},
      {"RUN cat 3<<EOF\nEOF", "dockerfile.text"},
      {"RUN cat <<../x\n../x", "dockerfile.text"},
      {"RUN cat <<EOF 'open\nEOF", "dockerfile.text"},
      {"RUN cat <<EOF ${X:?}\nEOF", "dockerfile.text"},
      {"RUN cat <<'EOF\nEOF", "dockerfile.text"},
      {"RUN cat\u00a0<<EOF\nEOF", "dockerfile.text"},
      {"RUN [ \"a\" ] && cat <<EOF\nEOF", "dockerfile.text"},
      {"RUN echo \"<<EOF\nEOF", "dockerfile.text"},
      {"RUN cat <<E\u00e9\nE", "dockerfile.text"},
      {"RUN cat <<EOF \"${A:-b}\"\nEOF", "dockerfile.text"},
      {"RUN echo ${A:-\"x <<EOF y\"}\nEOF", "dockerfile.text"},
      {"RUN echo \"${A:-\" <<EOF \"}\"\nEOF", "dockerfile.text"},
      // To BuildKit's lexer an escaped blank is part of the word, and within a modifier backslashes are dropped.
      {"RUN echo hi \\ <<CMD\nCMD", "dockerfile.text"},
      {"RUN echo hi \\\t<<CMD\nCMD", "dockerfile.text"},
      {"RUN true ${A:- \\<<E }\nE", "dockerfile.text"},
      {"RUN true ${A:- \\<<E}", "dockerfile.text"},
      {"RUN true ${A- \\<<E}", "dockerfile.text"},
      {"RUN true x${A:- <\\<E}", "dockerfile.text"},
      {"RUN true ${A:- 3\\<<E}", "dockerfile.text"},
      {"RUN true ${A:=- \\1<<E}", "dockerfile.text"},
      {"RUN true ${A:- \\<<-E}", "dockerfile.text"},
      {"RUN true ${A:- <\"\\\"<E}", "dockerfile.text"},
      {"COPY a ${A:- \\<<E }", "dockerfile.text"},
      {"ONBUILD RUN true ${A:- \\<<E }", "dockerfile.text"},
  };
  for (const auto& row : refused) {
    CAPTURE(row.lines);
    CHECK(rule_of(below(row.lines)) == row.expected);
  }
}

TEST_CASE("words and pairs are split as the builder splits them") {
  using Words = std::vector<std::string>;
  CHECK(split_words("a \"b c\" d\\ e 'f\\' g") == Words{"a", "\"b c\"", "d\\ e", "'f\\'", "g"});
  CHECK(split_words("\u00a0a\u2003b") == Words{"a", "b"});
  CHECK(split_blanks("a\t b\u00a0c") == Words{"a", "b\u00a0c"});
  const auto pairs = name_values("\"a=b\"=c d=");
  REQUIRE(pairs);
  CHECK(*pairs == std::vector<std::pair<std::string, std::string>>{{"\"a", "b\"=c"}, {"d", ""}});
  CHECK(name_values("a b=c  d")->front() == std::pair<std::string, std::string>{"a", "b=c  d"});
  CHECK_FALSE(json_list("[\"a\", 1]"));
  CHECK_FALSE(json_list("['a']"));
  CHECK(*json_list("[ \"a\" , \"\\u0062\"]") == Words{"a", "b"});
}

TEST_CASE("variables are put in as the builder does, and never guessed") {
  Variables variables(false);
  variables.set_argument("A", "a");
  variables.set_argument("E", "");
  variables.set_argument("BOTH", "argument");
  variables.set_environment("BOTH", "environment");
  variables.set_environment("UNKNOWN", std::nullopt);
  struct Row {
    std::string_view word, expected;
  };
  const Row rows[] = {
      {"$A", "a"},
      {"x${A}y", "xay"},
      {"${E:-d}", "d"},
      {"${A:-d}", "a"},
      {"${A:+d}", "d"},
      {"${E:+d}", ""},
      {"${E:-${A:-x}}", "a"},
      {"'$A'", "$A"},
      {"\"$A\"", "a"},
      {"\\$A", "$A"},
      {"\"\\$A\\x\"", "$A\\x"},
      {"$BOTH", "environment"},
      {"$", "$"},
      {"a\\ b", "a b"},
      {"$UNKNOWN", "none"},
      {"$OTHER", "none"},
      {"${OTHER:-d}", "none"},
      {"${A#a}", "none"},
      {"${A:?}", "none"},
      {"${A", "none"},
      {"'a", "none"},
      {"\"a", "none"},
      {"$\u00e9", "none"},
      {"${A:-$OTHER}", "none"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.word);
    CHECK(substitute(row.word, variables).value_or("none") == row.expected);
  }
  CHECK(substitute("[$OTHER]", Variables(true)) == "[]");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "${E:-";
  CHECK_FALSE(substitute(deep, variables));
}

TEST_CASE("a word is bounded within quotes as outside of them") {
  Variables variables(false);
  const std::string longest(4096, 'x');
  variables.set_environment("A", longest);
  variables.set_environment("E", "");
  for (const char* word : {"$A", R"("$A")", R"("$A$E")", R"("$A""$E")"}) {
    CAPTURE(word);
    CHECK(substitute(word, variables) == longest);
  }
  CHECK(substitute("\"" + longest + "\"", variables) == longest);
  for (const char* too_long : {"$A$A", R"("$A$A")", R"("$A"y)", R"("${A}y")", R"("$A\$")", R"(${E:-"$A$A"})"}) {
    CAPTURE(too_long);
    CHECK_FALSE(substitute(too_long, variables));
  }
  // To put in all of it would take minutes here.
  std::string many = "\"";
  for (int i = 0; i < 29'000; ++i) many += "$A";
  many += '"';
  for (int i = 0; i < 5000; ++i) CHECK_FALSE(substitute(many, variables));
}

TEST_CASE("a file is bounded, and what doubles stays small") {
  CHECK(rule_of(canonical(std::string(max_text + 1, '\n'), options())) == "dockerfile.too-large");
  std::string many = "FROM localhost/bb\n";
  for (std::size_t i = 0; i < max_instructions; ++i) many += "CMD x\n";
  CHECK(canonical(many, options()) == "dockerfile.too-large: line 10001: too many instructions");
  std::string stages;
  for (std::size_t i = 0; i <= max_stages; ++i) stages += "FROM scratch\n";
  CHECK(canonical(stages, options()) == "dockerfile.too-large: line 257: too many stages");
  std::string doubling = "ENV A=xxxxxxxx\n";
  for (int i = 0; i < 5000; ++i) doubling += "ENV A=$A$A$A$A\n";
  CHECK(rule_of(below(doubling + "COPY --from=$A a b")) == "dockerfile.variable");
}
