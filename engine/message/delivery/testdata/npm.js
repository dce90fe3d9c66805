// A mail server from npm: smtp-server or @maildev/smtp. Usage: node npm.js MODULE OPTIONS MAILBOX
// It prints its port, and writes each message into a file for each recipient. A local part such as mail-451 is refused.
const fs = require("fs");
const path = require("path");
const [, , module_, options_, box] = process.argv;
const options = JSON.parse(options_);
let written = 0;

function keep(from, to, helo, protocol, raw) {
  for (const address of to) {
    const name = `${process.pid}.${++written}`;
    const head = `Return-Path: <${from}>\r\nDelivered-To: ${address}\r\nReceived: from ${helo} by npm with ${protocol}\r\n`;
    fs.writeFileSync(path.join(box, "tmp", name), Buffer.concat([Buffer.from(head), raw]));
    fs.renameSync(path.join(box, "tmp", name), path.join(box, "new", name));
  }
}

function refused(step, address) {
  const [, code] = new RegExp(`^${step}-(\\d+)@`).exec(address) || [];
  return code && Object.assign(new Error("refused for a test"), { responseCode: Number(code) });
}

async function maildev() {
  const { SMTPServer } = await import(path.join(module_, "dist/index.js"));
  const { MemoryStorage } = await import(path.join(module_, "../core/dist/index.js"));
  const server = new SMTPServer({ port: 0, host: "127.0.0.1", storage: new MemoryStorage(), mailDir: path.join(box, "maildev"), logger: false, ...options });
  server.on("new", (email) =>
    keep(email.envelope.from.address, email.envelope.to.map((to) => to.address), email.envelope.host || "maildev", options.secure ? "ESMTPS" : "ESMTP", fs.readFileSync(email.source)));
  await server.start();
  return server.getPort();
}

function smtpServer() {
  if (options.certPath) {
    options.cert = fs.readFileSync(options.certPath);
    options.key = fs.readFileSync(options.keyPath);
  }
  const { SMTPServer } = require(module_);
  const server = new SMTPServer({
    disableReverseLookup: true,
    authOptional: true,
    ...options,
    onAuth(auth, session, done) {
      const right = auth.username === "ann" && (auth.password ? auth.password === "right" : auth.validatePassword("right"));
      right ? done(null, { user: auth.username }) : done(new Error("wrong password"));
    },
    onMailFrom: (address, session, done) => done(refused("mail", address.address)),
    onRcptTo: (address, session, done) => done(refused("rcpt", session.envelope.mailFrom.address) || refused("nobody", address.address)),
    onData(stream, session, done) {
      const blocks = [];
      stream.on("data", (block) => blocks.push(block));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const error = stream.sizeExceeded ? Object.assign(new Error("too large"), { responseCode: 552 }) : refused("end", mailFrom.address);
        if (error) {
          return done(error);
        }
        const protocol = "ESMTP" + (session.secure ? "S" : "") + (session.user ? "A" : "");
        keep(mailFrom.address, rcptTo.map((to) => to.address), session.hostNameAppearsAs, protocol, Buffer.concat(blocks));
        done(null, `queued as N${written}`);
      });
    },
  });
  server.on("error", () => {}); // of one connection
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.server.address().port)));
}

(path.basename(path.dirname(module_)) === "@maildev" ? maildev() : smtpServer()).then(console.log);
