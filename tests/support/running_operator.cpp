#include "tests/support/running_operator.hpp"

#include <boost/asio/post.hpp>

#include "tests/support/running_proxy.hpp"

namespace podfence::testing {

using namespace std::chrono_literals;

struct RunningOperator::Running {
  Running(RunningOperator& self, boost::asio::io_context& context, const std::string& directory,
          const std::string& store_path)
      : places([directory](const char* name) { return std::string(name) == "XDG_RUNTIME_DIR" ? directory : "/none"; }),
        ledger(":memory:"),
        audit(rules::AuditSettings{directory + "/audit.log"}),
        server(context, proxy::connect_to_socket(directory + "/upstream.sock"), {}, limits, ledger, audit, directory),
        store(store_path),
        tenancy(server, places, configured(self), store, std::get<rules::ConfigurationBase>(self.read()),
                [&self] { return self.read(); }),
        watching(context.get_executor(), "1.2.3", tenancy),
        caretaker(context.get_executor(), server.services(), tenancy, {.look = 20ms, .survey = 50ms}),
        api(server.services(), tenancy, caretaker, watching, {}),
        admin(context, self.path, limits, api, watching.decisions) {
    audit.observe([this](const rules::AuditRecord& record) { tenancy.note_request(record); });
    tenancy.start();
    for (const auto& listener : tenancy.configuration().control) server.listen(listener);
    watching.begin(audit);
    caretaker.start();
  }

  rules::Configuration configured(const RunningOperator& self) const {
    auto configuration = std::get<rules::ConfigurationBase>(self.read()).configuration();
    places.fill(configuration);
    return configuration;
  }

  const proxy::Limits limits = short_limits();
  proxy::Places places;
  proxy::SqliteLedger ledger;
  proxy::AuditLog audit;
  proxy::Server server;
  proxy::ProjectStore store;
  proxy::Tenancy tenancy;
  proxy::Watching watching;
  proxy::Caretaker caretaker;
  proxy::OperatorApi api;
  proxy::Admin admin;
};

RunningOperator::RunningOperator(std::string configuration, std::string store)
    : text_(std::move(configuration)),
      podman(directory_.path() + "/upstream.sock"),
      running_(std::make_unique<Running>(*this, context_, directory_.path(), store)),
      thread_([this] { context_.run(); }) {
  podman.on("GET /v4.0.0/libpod/secrets/json", FakePodman::says(http_answer(200, "[]")));
}

RunningOperator::~RunningOperator() {
  boost::asio::post(context_, [this] {
    running_->caretaker.stop();
    running_->server.stop();
    running_->admin.stop();
  });
  thread_.join();
}

WireAnswer RunningOperator::get(const std::string& target) const {
  return request("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

WireAnswer RunningOperator::send(const std::string& method, const std::string& target,
                                 const std::string& content) const {
  return request(method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(content.size()) +
                 "\r\n\r\n" + content);
}

void RunningOperator::configure(std::string text) {
  const std::lock_guard locked(mutex_);
  text_ = std::move(text);
}

std::variant<rules::ConfigurationBase, std::string> RunningOperator::read() const {
  const std::lock_guard locked(mutex_);
  auto text = text_;
  for (std::size_t at; (at = text.find("{DIR}")) != std::string::npos;) text.replace(at, 5, directory_.path());
  text.replace(text.find('{'), 1,
               R"({"admin": ")" + path + R"(", "upstream": ")" + directory_.path() + R"(/upstream.sock", )");
  auto read = rules::ConfigurationBase::read(text, {});
  if (const auto* error = std::get_if<rules::ConfigurationError>(&read)) return rules::text_of(*error, "the file");
  return std::get<rules::ConfigurationBase>(std::move(read));
}

}  // namespace podfence::testing
