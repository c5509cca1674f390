#include "proxy/framing.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/status.hpp>

#include "proxy/field_rules.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace http = boost::beast::http;

namespace {

using rules::Deny;
using rules::refusal;

/// What Beast's parser finds: the start line, and the fields in order, with their names as sent; they are compared
/// without regard to case. It takes no content.
template <bool is_request>
class HeadParser final : public http::basic_parser<is_request> {
 public:
  HeadParser() { fields.reserve(usual_fields); }

  std::string method;
  std::string target;
  int status = 0;
  unsigned version = 0;
  rules::Fields fields;

 private:
  static constexpr std::size_t usual_fields = 12;
  using Text = boost::beast::string_view;
  using Error = boost::system::error_code;

  void on_request_impl(http::verb, Text method_text, Text target_text, int number, Error&) override {
    method = method_text;
    target = target_text;
    version = static_cast<unsigned>(number);
  }
  void on_response_impl(int code, Text, int number, Error&) override {
    status = code;
    version = static_cast<unsigned>(number);
  }
  void on_field_impl(http::field, Text name, Text value, Error&) override {
    fields.push_back({std::string(name), std::string(value)});
  }
  void on_header_impl(Error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text, Error&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text, Error&) override { return 0; }
  void on_finish_impl(Error&) override {}
};

/// Parses exactly the head: the parser never sees content.
template <class Parser>
boost::system::error_code tokenize(Parser& parser, std::string_view head) {
  parser.header_limit(static_cast<std::uint32_t>(head.size() + 1));  // HeadScan has bounded it
  parser.body_limit(boost::none);
  boost::system::error_code error;
  const auto used = parser.put(boost::asio::buffer(head), error);
  if (!error && (used != head.size() || !parser.is_header_done())) error = http::error::bad_field;
  return error;
}

const rules::Refusal* refusal_for(boost::system::error_code error) {
  if (error == http::error::bad_version) return refusal("http.version");
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length ||
      error == http::error::bad_transfer_encoding)
    return refusal("http.framing");
  return refusal("http.syntax");
}

/// The start line's words, for a head that the tokenizer refused.
RefusedHead refused(Deny deny, std::string_view head) {
  RefusedHead result{std::move(deny), {}, {}};
  const auto line = head.substr(0, head.find('\r'));
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return result;
  result.method = line.substr(0, space);
  const auto rest = line.substr(space + 1);
  result.target = rest.substr(0, rest.find(' '));
  return result;
}

struct Version {
  unsigned number;  ///< 11 for HTTP/1.1
};

std::variant<RequestHead, Deny> judge(std::string_view method, std::string target, Version version,
                                      const rules::Fields& fields) {
  RequestHead result;
  result.target = std::move(target);
  if (auto deny = read_framing(fields, result.content)) return *deny;
  if (version.number != 11) return Deny{refusal("http.version"), "HTTP/1.0"};
  if (auto deny = check_host(fields)) return *deny;
  result.host = *rules::find(fields, "Host");
  const auto known = rules::parse_method(method);
  if (!known) return Deny{refusal("http.method"), std::string(method.substr(0, 32))};
  result.method = *known;
  if (auto deny = read_connection(fields, result)) return *deny;
  if (auto deny = read_content_fields(fields)) return *deny;
  if (auto deny = read_expectation(fields, result)) return *deny;
  if (auto deny = read_own_fields(fields, result)) return *deny;
  if (rules::is_safe(*known) && result.content.has_content())
    return Deny{refusal("content.unexpected"), std::string(method)};
  return result;
}

bool never_has_content(int status) { return status < 200 || status == 204 || status == 304; }

}  // namespace

std::variant<RequestHead, RefusedHead> parse_request_head(std::string_view head, std::size_t max_fields) {
  HeadParser<true> parser;
  if (const auto error = tokenize(parser, head))
    return refused({refusal_for(error), error.message(), rules::Kind::None}, head);
  if (parser.fields.size() > max_fields)
    return refused({refusal("http.too-many-fields"), std::to_string(max_fields), rules::Kind::None}, head);
  auto result = judge(parser.method, std::move(parser.target), {parser.version}, parser.fields);
  if (auto* deny = std::get_if<Deny>(&result)) return refused(std::move(*deny), head);
  return std::get<RequestHead>(std::move(result));
}

std::optional<AnswerHead> parse_answer_head(std::string_view head, bool to_head) {
  HeadParser<false> parser;
  if (tokenize(parser, head)) return std::nullopt;
  if (parser.version != 11) return std::nullopt;
  AnswerHead result;
  result.status = parser.status;
  if (result.status < 100 || result.status > 599) return std::nullopt;
  result.fields = std::move(parser.fields);
  result.content = Framing::until_close();
  if (read_framing(result.fields, result.content)) return std::nullopt;
  if (to_head || never_has_content(result.status)) result.content = {};
  result.keep_alive =
      result.content.kind != Framing::Kind::UntilClose && !names_connection_option(result.fields, "close");
  return result;
}

std::string_view reason_phrase(int status) {
  const auto phrase = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {phrase.data(), phrase.size()};
}

}  // namespace podfence::proxy
