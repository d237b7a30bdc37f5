//! A socket client for tests: a real connection to the real server.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use http::Request;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message},
};

use crate::testing::{As, Line};

/// Longer than anything takes in a working server.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// An open socket.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

impl Line {
    /// The server's own origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A ticket for a member, issued to a page of the server's own origin.
    pub async fn ticket(&self, who: &As) -> String {
        let host = self.address.to_string();
        let origin = self.origin();
        let headers = [("host", host.as_str()), ("origin", origin.as_str())];
        let got = who.send_with("POST", "/api/auth/socket-ticket", Some(json!({})), &headers).await.expect(200);
        got["ticket"].as_str().unwrap().to_owned()
    }

    /// Tries to open a socket.
    /// Errors: The status when it is refused.
    pub async fn handshake(&self, query: &str, origin: Option<&str>, protocols: Option<&str>) -> Result<Socket, u16> {
        let mut request = Request::get(format!("ws://{}/api/socket{query}", self.address))
            .header("host", self.address.to_string())
            .header("connection", "keep-alive, Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        for (name, value) in [("origin", origin), ("sec-websocket-protocol", protocols)] {
            request = value.into_iter().fold(request, |request, value| request.header(name, value));
        }
        let connection = TcpStream::connect(self.address).await.unwrap();
        match client_async(request.body(()).unwrap(), connection).await {
            Ok((stream, _)) => Ok(Socket { stream }),
            Err(Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens a socket for a member; `query` as in `?after=7`.
    pub async fn open(&self, who: &As, query: &str) -> Socket {
        let protocols = format!("atrium.v1, ticket.{}", self.ticket(who).await);
        self.handshake(query, Some(&self.origin()), Some(&protocols)).await.unwrap()
    }
}

impl Socket {
    async fn read(&mut self) -> Option<Message> {
        loop {
            match timeout(READ_TIMEOUT, self.stream.next()).await.expect("nothing comes") {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(message)) => return Some(message),
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Value {
        match self.read().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("no frame: {other:?}"),
        }
    }

    /// Reads frames up to the first that matches, which is the last of the result.
    pub async fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.frame().await;
            let found = is_last(&frame);
            frames.push(frame);
            if found {
                return frames;
            }
        }
    }

    /// Sends a frame.
    pub async fn send_frame(&mut self, frame: &Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    /// Sends any message; it may fail to arrive.
    pub async fn send_message(&mut self, message: Message) {
        drop(self.stream.send(message).await);
    }

    /// Reads until the end. Returns the last frame and the close code.
    pub async fn last_frame_and_code(mut self) -> (Option<Value>, Option<u16>) {
        let mut last = None;
        loop {
            match self.read().await {
                Some(Message::Text(text)) => last = serde_json::from_str(&text).ok(),
                Some(Message::Close(frame)) => return (last, frame.map(|frame| frame.code.into())),
                Some(_) => {}
                None => return (last, None),
            }
        }
    }
}
